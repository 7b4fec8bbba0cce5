import type { Platform } from '@/lib/platform/platform';
import { callProvider, type JsonObject } from '@/lib/platform/upstream/call-provider';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { UpstreamFailure } from '@/lib/platform/upstream/failure';
import { isGone, isUnknownField } from '@/lib/platform/upstream/incompatible';
import { answerBytesMax } from '../limits';

interface CallDeps extends WithUpstream, Pick<Platform, 'settings' | 'clock' | 'timings' | 'metrics'> {}

const timeoutMs = 30_000;

/** Error tags about the caller's input, which are passed on to the caller. */
const callersTags = new Set([
  'INVALID_REQUEST_BODY',
  'INVALID_REQUEST',
  'INVALID_NUM_RESULTS',
  'NUM_RESULTS_EXCEEDED',
  'INVALID_URLS',
  'NO_CONTENT_FOUND',
  'UNSUPPORTED_PUBLICATION_INCLUDE_FILTER',
  'FETCH_DOCUMENT_ERROR',
  'PROHIBITED_CONTENT',
  'CONTENT_FILTER_ERROR',
  'ROBOTS_FILTER_FAILED',
  'SOURCE_NOT_AVAILABLE',
]);

/**
 * Calls Exa.
 * @throws ApiError provider_unconfigured; UpstreamFailure for every response but a success
 */
export async function callExa(app: CallDeps, path: string, body: object): Promise<JsonObject> {
  const { status, json, retryAfter } = await callProvider(app, 'exa', {
    method: 'POST',
    path,
    body,
    timeoutMs,
    bytesMax: answerBytesMax,
  });
  if (status >= 200 && status < 300) return withoutCosts(json);
  throw failureOf(status, json, retryAfter);
}

/** Removes what the call costs us. */
function withoutCosts({ costDollars, ...answer }: JsonObject): JsonObject {
  return answer;
}

/** Flat in most responses, nested in some newer ones. */
function tagOf({ tag, error }: JsonObject): string {
  if (typeof tag === 'string') return tag;
  if (typeof error !== 'object' || error === null) return '';
  const { code, type } = error as JsonObject;
  return [code, type].find((value) => typeof value === 'string') ?? '';
}

function failureOf(status: number, json: JsonObject, retryAfter: number | null): UpstreamFailure {
  const tag = tagOf(json);
  const isCallers = callersTags.has(tag);
  const details = { status, retryAfter };
  if (status === 401 || status === 402) return new UpstreamFailure('account', `status_${status}`, details);
  if (status === 429) return new UpstreamFailure('limited', 'rate_limit', details);
  if (isGone(status) || isUnknownField(json))
    return new UpstreamFailure('incompatible', `status_${status}`, details);
  if (status === 403 && !isCallers) return new UpstreamFailure('plan', 'forbidden', details);
  if (isCallers || status === 400 || status === 413 || status === 422) {
    return new UpstreamFailure('rejected', isCallers ? tag.toLowerCase() : 'invalid_request', details);
  }
  // Exa has no answer to this question. It has to others.
  const isOfRequest = tag === 'UNABLE_TO_GENERATE_RESPONSE';
  return new UpstreamFailure('failed', `status_${status}`, { ...details, isOfRequest });
}
