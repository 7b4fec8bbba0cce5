/**
 * A request to the API, with what its handlers read. A platform's `Request` is one. Our listener makes lighter ones
 * (lib/http/server/api-request.ts).
 */
export interface ApiRequest extends Pick<Request, 'method' | 'url' | 'signal'> {
  readonly headers: Pick<Headers, 'get'>;
  /** Null when there is none. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** The bytes of a file, as the platform's `Response` takes them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * A response of the API as plain values. A platform's `Response` costs more to make and to read than all of them. Operations
 * respond with text; only documents may have bytes.
 */
export interface ApiResponse<Body extends string | Bytes = string> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null when there is none. */
  readonly body: Body | null;
}

/** Path parameters by name. */
export type PathParams = Record<string, string | string[] | undefined>;

export function withHeaders<Body extends string | Bytes>(
  response: ApiResponse<Body>,
  headers: Readonly<Record<string, string>>,
): ApiResponse<Body> {
  return { ...response, headers: { ...response.headers, ...headers } };
}

/** For hosts that call route handlers as the platform defines them. */
export function toWebResponse({ status, headers, body }: ApiResponse<string | Bytes>): Response {
  return new Response(body, { status, headers: { ...headers } });
}
