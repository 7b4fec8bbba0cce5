import { operationsAt } from '@/lib/catalog/addresses';
import type { HttpApp } from '@/lib/http/http-app';
import { refundPath } from '@/lib/payments/x402/refunds';
import type { LimitVerdict } from './rate-limit';

/** The parts of a request that rate limits depend on. */
export interface LimitedCall {
  readonly method: string;
  readonly path: string;
  readonly address: string;
  header(name: string): string | null | undefined;
}

/** Refunds of channels are not in the catalog, but make us read the chain. */
const countedPaths: readonly string[] = [refundPath];

/** Pages rendered for every request: forms, deposits, reports, receipts, the console, search, the status, and payments of "Try it". */
const hostedPages =
  /^\/((f|deposit|report|try)\/|(operator|receipts|docs\/(search|status(\.md)?))(\/|$))(?!assets\/)/;

/** Monitoring and schedulers. They wait no longer than requests for documents, and are never refused. */
const forOperator: readonly string[] = ['/health', '/health/ready', '/metrics', '/internal/cron'];

export function isForOperator(path: string): boolean {
  return forOperator.includes(path);
}

/**
 * What a call counts as: a free call, one without a limit (of a paid operation, or by the operator's monitoring), or `other`:
 * a document, or a path that does not exist.
 */
export function kindOf(call: Pick<LimitedCall, 'method' | 'path'>): 'free' | 'unlimited' | 'other' {
  const method = call.method === 'HEAD' ? 'GET' : call.method;
  const found = operationsAt(call.path).find((one) => one.method === method);
  if (!found) {
    if (isForOperator(call.path)) return 'unlimited';
    return hostedPages.test(call.path) || countedPaths.includes(call.path) ? 'free' : 'other';
  }
  const { operation } = found;
  return 'price' in operation || operation.isUnlimited ? 'unlimited' : 'free';
}

/** The size that a body of unknown length counts as. */
const unknownBytes = 1_048_576;

/**
 * Counts a free call.
 * @returns the rate limit headers, and the refusal when the limit is used up
 */
export function countCall({ rateLimits }: HttpApp, call: LimitedCall): Promise<LimitVerdict> {
  return rateLimits.countFreeCall(call.address, bytesOf(call));
}

/** The announced length of a call's body. */
export function bytesOf({ header }: Pick<LimitedCall, 'header'>): number {
  if (header('transfer-encoding')) return unknownBytes;
  const length = Number(header('content-length') ?? 0);
  return Number.isFinite(length) ? length : unknownBytes;
}
