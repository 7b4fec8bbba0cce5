import { z } from 'zod';
import type { Platform } from '@/lib/platform/platform';
import { callProvider, type ProviderRequest } from '@/lib/platform/upstream/call-provider';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { type FailureKind, UpstreamFailure } from '@/lib/platform/upstream/failure';

/** What `callDuffel` uses. */
interface CallDeps extends WithUpstream, Pick<Platform, 'settings' | 'clock' | 'timings' | 'metrics'> {}

/** Several hundred offers of long journeys take some megabytes. */
const answerBytesMax = 32 * 1024 * 1024;

const refusal = z.object({
  errors: z.array(z.object({ type: z.string(), code: z.string() }).partial()).min(1),
});

/**
 * Calls Duffel.
 * @returns the `data` of the response
 * @throws ApiError provider_unconfigured; UpstreamFailure for every response but a success
 */
export async function callDuffel(
  app: CallDeps,
  question: Omit<ProviderRequest, 'bytesMax'>,
): Promise<unknown> {
  const { status, json, retryAfter } = await callProvider(app, 'duffel', {
    ...question,
    bytesMax: answerBytesMax,
  });
  if (status === 200 || status === 201) return json.data;
  const [told] = refusal.safeParse(json).data?.errors ?? [];
  const failure = failureOf(status, told?.type ?? '', told?.code ?? '', retryAfter);
  // A search always has the same path and the same fields. A look-up has an ID of the caller in its path.
  const isOurs = question.method === 'POST' && [400, 404, 405, 406, 410].includes(status);
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
  404: 'rejected',
  422: 'rejected',
  429: 'limited',
};

function failureOf(status: number, type: string, code: string, retryAfter: number | null): UpstreamFailure {
  const kind = (status < 500 ? kindsOfType[type] : undefined) ?? kindsOfStatus[status] ?? 'failed';
  // Duffel's documented codes. Anything else is not passed on.
  const reason = /^[a-z][a-z_]{2,60}$/.test(code) ? code : `status_${status}`;
  // One airline refused. Searches of other routes ask others.
  const isOfRequest = kind === 'rejected' || (status < 500 && type === 'airline_error');
  return new UpstreamFailure(kind, reason, { status, retryAfter, isOfRequest });
}
