import type { Platform } from '@/lib/platform/platform';
import type { ApiRequest, ApiResponse } from './api-message';
import { hasCredential } from './credential-headers';

/** What a request was for: an operation of the catalog or a label of ours, and the rail of a paid path. */
interface Counted {
  readonly operation: string;
  readonly rail: string;
}

/** A paid path with its parameters in braces; left out for others. */
interface Routed extends Counted {
  readonly route?: string;
}

/**
 * Handles a request, and counts it and its duration. API requests on any host are counted here, except those below. Those that pay
 * can be followed one by one; the others are too many.
 */
export async function countRequest(
  { metrics }: Pick<Platform, 'metrics'>,
  { operation, rail, route }: Routed,
  { method, headers }: Pick<ApiRequest, 'method' | 'headers'>,
  handle: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { observer } = metrics;
  const end = metrics.requestSeconds.startTimer({ operation });
  const payment = rail !== 'none' && hasCredential(headers) ? 'sent' : 'none';
  const isFollowed = observer !== null && payment === 'sent' && route !== undefined;
  const answered = await (isFollowed
    ? observer.request({ method, route, operation, rail, headers }, handle)
    : handle());
  metrics.requests.inc({ operation, rail, payment, status: answered.status });
  if (rail === 'none' || payment === 'sent') end();
  return answered;
}

/** Counts what our listener answers without a route: pages, documents, files, and its own refusals. */
export function countDirect(
  { metrics }: Pick<Platform, 'metrics'>,
  operation: 'page' | 'file' | 'refusal',
  status: number,
): void {
  metrics.requests.inc({ operation, rail: 'none', payment: 'none', status });
}

/** Counts an unpaid call of a paid operation that our listener answered. */
export function countChallenge(
  { metrics }: Pick<Platform, 'metrics'>,
  { operation, rail }: Counted,
  status: number,
): void {
  metrics.requests.inc({ operation, rail, payment: 'none', status });
}
