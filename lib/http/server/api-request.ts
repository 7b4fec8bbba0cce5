import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiRequest, ApiResponse } from '@/lib/http/api-message';
import { whenOver } from '@/lib/http/request-over';
import { bodyOf } from './request-body';

/** A Node request for a handler of the API. Parts that are not read cost nothing. */
export class NodeApiRequest implements ApiRequest {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  #signal: AbortSignal | undefined;
  readonly headers: ApiRequest['headers'];

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.#req = req;
    this.#res = res;
    this.headers = { get: (name) => headerOf(req, name) };
  }

  get method(): string {
    return this.#req.method ?? 'GET';
  }

  /** The client chooses the Host header, and it may not form a valid URL. */
  get url(): string {
    const { url = '/', headers } = this.#req;
    const base = `http://${headers.host ?? ''}`;
    return new URL(url, URL.canParse(url, base) ? base : 'http://localhost').href;
  }

  get body(): AsyncIterable<Uint8Array> | null {
    const { method } = this;
    return method === 'GET' || method === 'HEAD' ? null : bodyOf(this.#req);
  }

  /** Aborts when the client disconnects before the response. */
  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#req, this.#res);
    return this.#signal;
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

function signalOf(req: IncomingMessage, res: ServerResponse): AbortSignal {
  const abort = new AbortController();
  const check = () => {
    if (!res.writableFinished) abort.abort();
  };
  if (res.closed) check();
  else whenOver(req, res, check);
  return abort.signal;
}

/**
 * Sends the response of a handler.
 * @param headers defaults for every response
 */
export function sendApiResponse(
  { method }: IncomingMessage,
  res: ServerResponse,
  { status, headers, body }: ApiResponse,
  defaults: Readonly<Record<string, string>>,
): void {
  const length = body === null && status === 204 ? {} : { 'Content-Length': Buffer.byteLength(body ?? '') };
  res.writeHead(status, { ...defaults, ...headers, ...length });
  // As text, the body is sent together with the headers.
  res.end(method === 'HEAD' || body === null ? undefined : body);
}
