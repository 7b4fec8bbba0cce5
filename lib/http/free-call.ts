import type { Platform } from '@/lib/platform/platform';
import { type ApiRequest, type ApiResponse, type Bytes, withHeaders } from './api-message';
import { countCall, kindOf } from './call-limits';
import { cameThroughListener, clientAddressOf } from './client-address';
import type { LimitVerdict, RateLimits } from './rate-limit';
import { requestIdOf, respondError, respondJson } from './respond';
import { countIfWrongToken } from './wrong-token';

/** What the functions below use. */
export interface FreeCallDeps extends Pick<Platform, 'settings' | 'problems' | 'metrics'> {
  readonly clientAddressHeader: string;
  readonly rateLimits: RateLimits;
}

/** A JSON body for a 200, or a complete response. */
export type FreeAnswer<Body extends string | Bytes = string> =
  | { body: unknown; headers?: Record<string, string> }
  | ApiResponse<Body>;

/** Answers a free request, with the same errors and headers as a paid one. Never rejects. */
export async function handleFreeCall<Body extends string | Bytes = string>(
  app: FreeCallDeps,
  request: ApiRequest,
  work: () => Promise<FreeAnswer<Body>>,
): Promise<ApiResponse<Body | string>> {
  const requestId = requestIdOf(request);
  let response: ApiResponse<Body | string>;
  const { headers, refusal } = await limitRequest(app, request);
  try {
    if (refusal) throw refusal;
    const answer = await work();
    response = 'status' in answer ? answer : respondJson(200, answer.body, answer.headers);
  } catch (error) {
    const told = await countIfWrongToken(app, clientAddressOf(app, request), error);
    response = respondError(app, told, requestId);
  }
  // The headers of a limit that refused the call say more than those of a limit that it stayed within.
  return withHeaders(
    { ...response, headers: { ...headers, ...response.headers } },
    { 'Request-Id': requestId },
  );
}

/** Rate limits on function hosts. Our own listener counts calls before they get here. */
async function limitRequest(app: FreeCallDeps, request: ApiRequest): Promise<LimitVerdict> {
  const call = {
    method: request.method,
    path: new URL(request.url).pathname,
    address: clientAddressOf(app, request),
    header: (name: string) => request.headers.get(name),
  };
  const isLimited = !cameThroughListener(app, request) && kindOf(call) === 'free';
  return isLimited ? countCall(app, call) : { headers: {}, refusal: null };
}
