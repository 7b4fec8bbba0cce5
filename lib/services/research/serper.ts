import type { z } from 'zod';
import type { search } from '@/lib/catalog/serp';
import type { Platform } from '@/lib/platform/platform';
import { callProvider, type JsonObject } from '@/lib/platform/upstream/call-provider';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { UpstreamFailure } from '@/lib/platform/upstream/failure';
import { isGone, isUnknownField } from '@/lib/platform/upstream/incompatible';
import { answerBytesMax } from './limits';

interface SerperDeps extends WithUpstream, Pick<Platform, 'settings' | 'clock' | 'timings' | 'metrics'> {}

const timeoutMs = 20_000;
const usualNum = 10;

export type SerpKind = 'search' | 'news' | 'images' | 'shopping';
/** The same for every kind. */
export type SerpRequest = z.output<(typeof search)['body']>;

/**
 * Calls Serper.
 * @throws ApiError provider_unconfigured; UpstreamFailure for every response but a success
 */
export async function callSerper(app: SerperDeps, kind: SerpKind, request: SerpRequest): Promise<JsonObject> {
  const { q, gl, hl, location, num, page, autocorrect, tbs } = request;
  const { status, json, retryAfter } = await callProvider(app, 'serper', {
    method: 'POST',
    path: `/${kind}`,
    body: {
      ...{ q, gl, hl, location, autocorrect, tbs },
      // A number that is Serper's own would keep products from being as many as usual.
      num: num === usualNum ? undefined : num,
      page: page === 1 ? undefined : page,
    },
    timeoutMs,
    bytesMax: answerBytesMax,
  });
  // Its errors repeat their status in the body.
  const told = typeof json.statusCode === 'number' ? json.statusCode : status;
  if (status === 200 && told === 200) return withoutCosts(json);
  throw failureOf(told, json, retryAfter);
}

/** Removes what the call costs us. */
function withoutCosts({ credits, ...answer }: JsonObject): JsonObject {
  return answer;
}

function failureOf(status: number, json: JsonObject, retryAfter: number | null): UpstreamFailure {
  const message = typeof json.message === 'string' ? json.message : '';
  const details = { status, retryAfter };
  // An empty balance has no status of its own. Only the message distinguishes it from an invalid request or a rate limit.
  if (status >= 400 && status < 500 && /credit/i.test(message))
    return new UpstreamFailure('account', 'no_credits', details);
  // Other queries are allowed, so one caller's query must not end the others'.
  if (status === 400 && /free account/i.test(message))
    return new UpstreamFailure('plan', 'query_pattern', { ...details, isOfRequest: true });
  if (status === 401 || status === 402 || status === 403)
    return new UpstreamFailure('account', `status_${status}`, details);
  if (status === 429) return new UpstreamFailure('limited', 'rate_limit', details);
  if (isGone(status) || isUnknownField(json))
    return new UpstreamFailure('incompatible', `status_${status}`, details);
  if (status === 400 || status === 422) return new UpstreamFailure('rejected', 'invalid_request', details);
  return new UpstreamFailure('failed', `status_${status}`, details);
}
