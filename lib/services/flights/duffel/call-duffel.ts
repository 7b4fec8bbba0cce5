import { z } from 'zod';
import type { Platform } from '@/lib/platform/platform';
import { callProvider, type JsonObject, type ProviderRequest } from '@/lib/platform/upstream/call-provider';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { type FailureKind, UpstreamFailure } from '@/lib/platform/upstream/failure';

interface CallDeps extends WithUpstream, Pick<Platform, 'settings' | 'clock' | 'timings' | 'metrics'> {}

/** Two hundred offers of long journeys take a few megabytes. */
const answerBytesMax = 16 * 1024 * 1024;

const word = z.string().optional().catch(undefined);
const refusal = z.object({ errors: z.array(z.object({ type: word, code: word })).min(1) });

interface DuffelRequest extends Omit<ProviderRequest, 'bytesMax'> {
  /** Whether the path contains an ID that the caller chose, which may not exist. */
  readonly hasCallersId?: true;
}

/**
 * Calls Duffel.
 * @returns the response, with its `data` and `meta`
 * @throws ApiError provider_unconfigured; UpstreamFailure for every response but a success
 */
export async function callDuffel(
  app: CallDeps,
  { hasCallersId, ...question }: DuffelRequest,
): Promise<JsonObject> {
  const { status, json, retryAfter } = await callProvider(app, 'duffel', {
    ...question,
    bytesMax: answerBytesMax,
  });
  if (status === 200 || status === 201) return json;
  const [told] = refusal.safeParse(json).data?.errors ?? [];
  const failure = failureOf(status, told?.type ?? '', told?.code ?? '', retryAfter);
  const isOurs = !hasCallersId && [400, 404, 405, 406, 410].includes(status);
  throw isOurs ? new UpstreamFailure('incompatible', failure.reason, { status }) : failure;
}

/** The kind of failure by the error type in the body, which is more specific than some statuses. */
const kindsOfType: Readonly<Record<string, FailureKind>> = {
  authentication_error: 'account',
  rate_limit_error: 'limited',
  validation_error: 'rejected',
  invalid_state_error: 'rejected',
  airline_error: 'failed',
  api_error: 'failed',
};
const kindsOfStatus: Readonly<Record<number, FailureKind>> = {
  401: 'account',
  403: 'account',
  422: 'rejected',
  429: 'limited',
};

/** Offers end with an error of the airline, and not always with the same status. */
const codesOfGone = new Set(['offer_no_longer_available', 'offer_expired', 'not_found']);
const isGone = (status: number, code: string) => status === 404 || status === 410 || codesOfGone.has(code);

function failureOf(status: number, type: string, code: string, retryAfter: number | null): UpstreamFailure {
  const kind = isGone(status, code)
    ? 'rejected'
    : ((status < 500 ? kindsOfType[type] : undefined) ?? kindsOfStatus[status] ?? 'failed');
  // Duffel's documented codes. Anything else is not passed on.
  const reason = /^[a-z][a-z_]{2,60}$/.test(code) ? code : `status_${status}`;
  // One airline refused. Searches of other routes ask others.
  const isOfRequest = kind === 'rejected' || (status < 500 && type === 'airline_error');
  return new UpstreamFailure(kind, reason, { status, retryAfter, isOfRequest });
}
