import { type AddressedOperation, operationsAt } from '@/lib/catalog/addresses';
import type { HttpApp } from '@/lib/http/app';
import type { LimitVerdict } from './rate-limit';

/** A call, as far as its limits go. */
export interface LimitedCall {
  readonly method: string;
  readonly path: string;
  readonly address: string;
  header(name: string): string | null | undefined;
}

/** Forms and deposits as people see them, made anew for every request. */
const hostedPages = /^\/(f|deposit)\/(?!assets\/)/;

/** What a body of unknown length counts as. */
const unknownBytes = 1_048_576;

/** What limits a call. */
interface CallLimits {
  /** Nothing is paid for it. */
  readonly isFree: boolean;
  /** The bearer token that it opens something with; null where it brings or needs none. */
  readonly token: string | null;
}

/** @returns null for a call that nothing limits: one that is paid for as it is made, or that is a document */
export function limitsOf(call: LimitedCall): CallLimits | null {
  const method = call.method === 'HEAD' ? 'GET' : call.method;
  const found = operationsAt(call.path).find((one) => one.method === method);
  if (!found) return hostedPages.test(call.path) ? { isFree: true, token: null } : null;
  const isFree = !('price' in found.operation);
  if ('isUnlimited' in found.operation && found.operation.isUnlimited) return null;
  const token = takesToken(found) ? bearerToken(call.header('authorization') ?? '') : null;
  return isFree || token !== null ? { isFree, token } : null;
}

/**
 * Counts a call.
 * @returns what it is told about its limit, and the refusal where that is used up
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

/** Notes what a call that was let through has come to; a large answer counts like a large body. */
export async function noteCall(
  app: HttpApp,
  { address }: LimitedCall,
  { isFree, token }: CallLimits,
  { status, bytes }: { status: number; bytes: number },
): Promise<void> {
  if (token !== null) await app.rateLimits.noteToken(address, token, status);
  if (isFree) await app.rateLimits.noteAnswer(address, bytes);
}

/** What a caller pays for as it calls carries its payment in the same header. */
function takesToken({ path, operation }: AddressedOperation): boolean {
  return !('paths' in operation) || operation.paths.account === path;
}

function bearerToken(authorization: string): string | null {
  return /^Bearer +([\x21-\x7e]{1,200}) *$/i.exec(authorization)?.[1] ?? null;
}

/** The length of a call's body, as it is announced. */
export function bytesOf({ header }: LimitedCall): number {
  if (header('transfer-encoding')) return unknownBytes;
  const length = Number(header('content-length') ?? 0);
  return Number.isFinite(length) ? length : unknownBytes;
}
