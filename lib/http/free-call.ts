import type { Platform } from '@/lib/platform/platform';
import { type ApiRequest, type ApiResponse, type Bytes, withHeaders } from './api-message';
import { clientAddressOf } from './client-address';
import type { RateLimits } from './rate-limit';
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
  try {
    const answer = await work();
    response = 'status' in answer ? answer : respondJson(200, answer.body, answer.headers);
  } catch (error) {
    const told = await countIfWrongToken(app, clientAddressOf(app, request), error);
    response = respondError(app, told, requestId);
  }
  return withHeaders(response, { 'Request-Id': requestId });
}
