import type { PaidCall, StoredAnswer } from './paid-call';
import { type Refused, refusedResult } from './preparation';

/** The result of advancing a call. */
export type CallResult =
  | {
      readonly kind: 'answered';
      readonly answer: StoredAnswer;
      readonly transactionHash: string | null;
      /** Whether this run produced the answer, so no request can have received it before. */
      readonly isFirst: boolean;
    }
  | Refused
  /** The outcome of the payment is not known yet. */
  | { readonly kind: 'unknown' }
  /** Paid; the effect has not happened yet and will be tried again. The reason is a code, if callers should know it. */
  | { readonly kind: 'undelivered'; readonly reason?: string }
  /** Paid and answered, and the answer has been erased since, or can no longer be decrypted. */
  | { readonly kind: 'expired' }
  /** Paid, and given back. */
  | { readonly kind: 'refunded'; readonly reason?: string }
  /** Paid; the program cannot deliver it. */
  | { readonly kind: 'needs_attention'; readonly reason?: string };

/** The stored response of a call, even if its settlement has changed since. A refund withdraws it. */
export function storedResult(call: PaidCall): CallResult {
  if (call.state === 'refunded') return { kind: 'refunded' };
  if (!call.answer) return { kind: 'expired' };
  return { kind: 'answered', answer: call.answer, transactionHash: call.transactionHash, isFirst: false };
}

/**
 * The result of a call with content that no DATA_KEY decrypts. Neither recovery nor a retry charges or delivers it
 * until the key is back.
 */
export function unreadableResult(call: PaidCall): CallResult {
  switch (call.state) {
    case 'delivered':
    case 'kept':
    case 'refunded':
      return storedResult(call);
    case 'needs_attention':
      return needsAttention(call);
    case 'settled':
      return { kind: 'undelivered' };
    case 'refused':
      return call.isRefusalFinal ? refusedResult(call) : { kind: 'unknown' };
    default:
      return { kind: 'unknown' };
  }
}

/** The result of a call that waits for the operator. */
export function needsAttention({ moveNote }: Pick<PaidCall, 'moveNote'>): CallResult {
  return { kind: 'needs_attention', ...(moveNote === null ? {} : { reason: moveNote }) };
}
