import type { HttpApp } from '@/lib/http/app';
import { type ApiRequest, type ApiResponse, type Bytes, type PathParams, withHeaders } from './api-message';
import { countCall, limitsOf, noteCall } from './call-limits';
import { cameThroughListener, clientAddressOf } from './client-address';
import type { LimitVerdict } from './rate-limit';
import { requestIdOf, respondError, respondJson } from './respond';

/** A JSON body for a 200, or a complete response. */
export type FreeAnswer<Body extends string | Bytes = string> =
  | { body: unknown; headers?: Record<string, string> }
  | ApiResponse<Body>;

/** The handler of a free operation. */
export type FreeHandler = (app: HttpApp, request: ApiRequest, params: PathParams) => Promise<FreeAnswer>;

/** Answers a free request, with the same errors and headers as a paid one. Never rejects. */
export async function handleFreeCall<Body extends string | Bytes = string>(
  app: HttpApp,
  request: ApiRequest,
  work: () => Promise<FreeAnswer<Body>>,
): Promise<ApiResponse<Body | string>> {
  const requestId = requestIdOf(request);
  let response: ApiResponse<Body | string>;
  const { headers, refusal, note } = await limitRequest(app, request);
  try {
    if (refusal) throw refusal;
    const answer = await work();
    response = 'status' in answer ? answer : respondJson(200, answer.body, answer.headers);
  } catch (error) {
    response = respondError(app, error, requestId);
  }
  if (!refusal) await note(response.status);
  return withHeaders(response, { 'Request-Id': requestId, ...headers });
}

/** Rate limits on function hosts. Our own listener counts calls before they get here. */
async function limitRequest(
  app: HttpApp,
  request: ApiRequest,
): Promise<LimitVerdict & { note(status: number): Promise<void> }> {
  const nothing = { headers: {}, refusal: null, note: async () => undefined };
  if (cameThroughListener(app, request)) return nothing;
  const call = {
    method: request.method,
    path: new URL(request.url).pathname,
    address: clientAddressOf(app, request),
    header: (name: string) => request.headers.get(name),
  };
  const limits = limitsOf(call);
  if (!limits) return nothing;
  return {
    ...(await countCall(app, call, limits)),
    note: (status) => noteCall(app, call, limits, { status, bytes: 0 }),
  };
}
