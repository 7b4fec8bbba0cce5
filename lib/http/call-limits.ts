import { type AddressedOperation, operationsAt } from '@/lib/catalog/addresses';
import type { HttpApp } from '@/lib/http/app';
import { refundPath } from '@/lib/payments/x402/refunds';
import { bearerTokenOf } from '@/lib/platform/bearer-token';
import type { LimitVerdict } from './rate-limit';

/** The parts of a request that rate limits depend on. */
export interface LimitedCall {
  readonly method: string;
  readonly path: string;
  readonly address: string;
  header(name: string): string | null | undefined;
}

/** Paths that are counted although the catalog does not have them: refunds of channels make us read the chain. */
const countedPaths: readonly string[] = [refundPath];

/** Pages rendered for every request: forms, deposits, reports, receipts, the console, search, the status, and payments of "Try it". */
const hostedPages =
  /^\/((f|deposit|report|try)\/|(operator|receipts|docs\/(search|status))(\/|$))(?!assets\/)/;

/** The size that a body of unknown length counts as. */
const unknownBytes = 1_048_576;

/** The limits that apply to a call. */
interface CallLimits {
  /** Whether the call is free. */
  readonly isFree: boolean;
  /** The bearer token to check; null when the call needs or has none. */
  readonly token: string | null;
}

/** @returns null for a call without limits: one that carries its payment, or a document */
export function limitsOf(call: LimitedCall): CallLimits | null {
  const method = call.method === 'HEAD' ? 'GET' : call.method;
  const found = operationsAt(call.path).find((one) => one.method === method);
  if (!found) {
    const isCounted = hostedPages.test(call.path) || countedPaths.includes(call.path);
    return isCounted ? { isFree: true, token: null } : null;
  }
  const isFree = !('price' in found.operation);
  if ('isUnlimited' in found.operation && found.operation.isUnlimited) return null;
  const token = takesToken(found)
    ? bearerTokenOf({ headers: { get: (name) => call.header(name) ?? null } })
    : null;
  return isFree || token !== null ? { isFree, token } : null;
}

/**
 * Counts a call.
 * @returns the rate limit headers, and the refusal when the limit is used up
 */
export async function countCall(
  app: HttpApp,
  call: LimitedCall,
  { isFree, token }: CallLimits,
): Promise<LimitVerdict> {
  const counted = isFree ? await app.rateLimits.countFreeCall(call.address, bytesOf(call)) : null;
  if (counted?.refusal || token === null) return counted ?? { headers: {}, refusal: null };
  const checked = await app.rateLimits.checkToken(call.address, token);
  return checked.refusal ? checked : (counted ?? checked);
}

/** Records the result of a call that was let through. A large response counts like a large body. */
export async function noteCall(
  app: HttpApp,
  { address }: LimitedCall,
  { isFree, token }: CallLimits,
  { status, bytes }: { status: number; bytes: number },
): Promise<void> {
  if (token !== null) await app.rateLimits.noteToken(address, token, status);
  if (isFree) await app.rateLimits.noteBytes(address, bytes);
}

/** Pay-per-call payments use the same header, so only the account rail's paths carry a token in it. */
function takesToken({ path, operation }: AddressedOperation): boolean {
  return !('paths' in operation) || operation.paths.account === path;
}

/** The announced length of a call's body. */
export function bytesOf({ header }: Pick<LimitedCall, 'header'>): number {
  if (header('transfer-encoding')) return unknownBytes;
  const length = Number(header('content-length') ?? 0);
  return Number.isFinite(length) ? length : unknownBytes;
}
