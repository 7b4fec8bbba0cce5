import type { Platform } from '@/lib/platform/platform';
import { callProvider, type JsonObject } from '@/lib/platform/upstream/call-provider';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { UpstreamFailure } from '@/lib/platform/upstream/failure';
import { isGone, isUnknownField } from '@/lib/platform/upstream/incompatible';
import { accountWords, withoutAccountFacts } from './firecrawl-response';
import { answerBytesMax } from './limits';

interface FirecrawlDeps extends WithUpstream, Pick<Platform, 'settings' | 'clock' | 'timings' | 'metrics'> {}

/** Error codes about the caller's page, which are passed on to the caller. */
const callersCodes = new Set([
  'BAD_REQUEST',
  'SCRAPE_DNS_RESOLUTION_ERROR',
  'UNSUPPORTED_SITE',
  'UNSAFE_DOMAIN_BLOCKED',
  'SAFE_MODE_BLOCKED',
  'SCRAPE_MEDIA_ACCESS_DENIED',
  'SCRAPE_PROMPT_INJECTION_DETECTED',
  'SCRAPE_JSON_CONTENT_TOO_LARGE',
  'SCRAPE_NO_CACHED_DATA',
  'SCRAPE_SITE_ERROR',
  'SCRAPE_SSL_ERROR',
  'SCRAPE_UNSUPPORTED_FILE_ERROR',
  'SCRAPE_PDF_ANTIBOT_ERROR',
  'SCRAPE_DOCUMENT_ANTIBOT_ERROR',
  'SCRAPE_PDF_OCR_REQUIRED',
  'SCRAPE_PDF_INSUFFICIENT_TIME_ERROR',
]);

/** Pages that did not load, for whatever reason. Others do. */
const pagesCodes = new Set(['SCRAPE_TIMEOUT', 'SCRAPE_ALL_ENGINES_FAILED']);

/** The reason of a refused site, which is also Firecrawl's code where it sends one. */
export const unsupportedSite = 'unsupported_site';

/** Firecrawl refuses sites that it never reads without a code, in words that have changed. What our plan lacks is another matter. */
function isSiteRefused(error: string): boolean {
  const isAboutSite = /\b(sites?|websites?|urls?|domains?|social media)\b/i.test(error);
  return (
    isAboutSite && /\b(not|longer)( currently)? support|\bblock/i.test(error) && !accountWords.test(error)
  );
}

/**
 * Calls Firecrawl.
 * @param timeoutMs how long the whole call may take: longer than Firecrawl itself does
 * @throws ApiError provider_unconfigured; UpstreamFailure for every response but a success. A page that returns an
 *   error of its own is a success.
 */
export async function callFirecrawl(
  app: FirecrawlDeps,
  path: string,
  body: object,
  timeoutMs: number,
): Promise<JsonObject> {
  const { status, json, retryAfter } = await callProvider(app, 'firecrawl', {
    method: 'POST',
    path,
    body,
    timeoutMs,
    bytesMax: answerBytesMax,
  });
  // A name that does not resolve is a 200 with an error in its body.
  if (status === 200 && json.success === true) return withoutAccountFacts(json);
  throw failureOf(status, json, retryAfter);
}

function failureOf(status: number, json: JsonObject, retryAfter: number | null): UpstreamFailure {
  const code = typeof json.code === 'string' ? json.code.toUpperCase() : '';
  const isCallers = callersCodes.has(code);
  const details = { status, retryAfter, isOfRequest: isCallers || pagesCodes.has(code) };
  if (status === 401 || status === 402) return new UpstreamFailure('account', `status_${status}`, details);
  if (status === 429 || code === 'CONCURRENCY_QUEUE_TIMEOUT')
    return new UpstreamFailure('limited', 'rate_limit', details);
  if (isCallers) return new UpstreamFailure('rejected', code.toLowerCase(), details);
  if (status === 403) {
    const isSite = isSiteRefused(String(json.error));
    return isSite
      ? new UpstreamFailure('rejected', unsupportedSite, { status })
      : new UpstreamFailure('plan', 'forbidden', details);
  }
  if (isGone(status) || isUnknownField(json))
    return new UpstreamFailure('incompatible', `status_${status}`, details);
  if ([400, 409, 413, 422].includes(status))
    return new UpstreamFailure('rejected', 'invalid_request', { status });
  return new UpstreamFailure('failed', status === 200 ? 'no_success' : `status_${status}`, details);
}
