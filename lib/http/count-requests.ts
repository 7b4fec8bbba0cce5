import type { Platform } from '@/lib/platform/platform';
import type { ApiRequest, ApiResponse } from './api-message';
import { hasCredential } from './credential-headers';

/** What a request was for: an operation of the catalog or a label of ours, and the rail of a paid path. */
interface Counted {
  readonly operation: string;
  readonly rail: string;
}

/** Counts a request and its duration. API requests on any host are counted here, except those below. */
export async function countRequest(
  { metrics }: Pick<Platform, 'metrics'>,
  { operation, rail }: Counted,
  { headers }: Pick<ApiRequest, 'headers'>,
  response: Promise<ApiResponse>,
): Promise<ApiResponse> {
  const end = metrics.requestSeconds.startTimer({ operation });
  const answered = await response;
  const payment = rail !== 'none' && hasCredential(headers) ? 'sent' : 'none';
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
