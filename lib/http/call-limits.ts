import { type ApiPath, findPath } from '@/lib/catalog/endpoints';
import { bytesOf, type WithHeader } from './body';
import type { LimitVerdict, RateLimits } from './rate-limit';

/** The parts of a request that rate limits depend on. */
export interface LimitedCall extends WithHeader {
  readonly method: string;
  readonly path: string;
  readonly address: string;
}

/** Pages rendered for every request: forms, deposits, reports, receipts, the console, search, the status, and payments of "Try it". */
const hostedPages =
  /^\/((f|deposit|try)\/|(operator|receipts|report|docs\/(search|status(\.md)?))(\/|$))(?!assets\/)/;

/** Whether a path is for monitoring or a scheduler. */
export function isForOperator(found: ApiPath | null): boolean {
  return (found?.endpoints ?? []).some((one) =>
    one.kind === 'free'
      ? one.operation.isUnlimited === true
      : one.kind === 'other' && one.countsAs === 'monitoring',
  );
}

/**
 * What a call counts as: a free call, one without a limit (of a paid operation, or by the operator's monitoring), or `other`:
 * a document, or a path that does not exist.
 * @param found the path in the API; null if it is not one
 */
export function kindOf(
  { method, path }: Pick<LimitedCall, 'method' | 'path'>,
  found = findPath(path),
): 'free' | 'unlimited' | 'other' {
  const routedMethod = method === 'HEAD' ? 'GET' : method;
  const operation = found?.endpoints.find((one) => one.kind !== 'other' && one.method === routedMethod);
  if (isForOperator(found) || operation?.kind === 'paid') return 'unlimited';
  const isCounted = found?.endpoints.some((one) => one.kind === 'other' && one.countsAs === 'free call');
  return operation || isCounted || hostedPages.test(path) ? 'free' : 'other';
}

/**
 * Counts a free call.
 * @returns the rate limit headers, and the refusal when the limit is used up
 */
export function countCall(
  { rateLimits }: { readonly rateLimits: RateLimits },
  call: LimitedCall,
): Promise<LimitVerdict> {
  return rateLimits.countFreeCall(call.address, bytesOf(call));
}
