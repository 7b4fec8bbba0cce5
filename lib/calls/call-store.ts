import type { RailName } from '@/lib/catalog/operation';
import type { Outcome } from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import type { Earlier, PaidCall, StoredAnswer } from './paid-call';

/**
 * What the life of a paid call needs from a store, by subject. The ledger implements it over PostgreSQL, and the tests have a
 * twin in memory; one suite checks both (tests/simulation/stores). A store belongs to one process: what it claims or takes over
 * is held by that process until it is released, has ended, or the process is dead. Every function rejects when the store cannot
 * be reached, and what it should have written may then be written or not.
 */

/** What a claim stores before any money moves. */
export interface Claim {
  readonly id: string;
  readonly operation: string;
  readonly rail: RailName;
  readonly payment: Payment;
  readonly sinceHeight: bigint;
  readonly requestHash: Buffer;
  /** For the receipt. */
  readonly requestDigest: Buffer;
  readonly idempotencyKey: string | null;
  readonly claimToken: string | null;
  readonly input: unknown;
  /** Whether something is prepared first; otherwise the call moves on to `settling` at once. */
  readonly isPrepared: boolean;
  /**
   * Whether the charge begins with a statement that has to be on disk, so that the claim does not have to be flushed before it.
   */
  readonly isFlushedLater: boolean;
}

/** A request that a wallet may have paid for. */
export interface BoughtRequest {
  /** Checksummed EVM address or base58 Solana address. */
  readonly payer: string;
  /** The only network on which the address identifies the payer; null when it does on every network. */
  readonly onlyOn: string | null;
  readonly operation: string;
  readonly requestHash: Buffer;
  /** Only the call under this key; null for a call under any key or none. */
  readonly idempotencyKey: string | null;
}

/** Calls by their payment and their key, of which each buys one call. */
export interface CallClaims {
  /** An id for a new call. Ids are in the order of their times. */
  newId(now: Date): string;
  /**
   * Binds the payment and the key to one call, at one moment: unique keys decide, not an earlier look.
   * @returns the call, in state `settling`, or `claimed` when something has to be prepared; null when another call has the
   *   payment or the key
   */
  claim(entry: Claim, now: Date): Promise<PaidCall | null>;
  /**
   * Restarts a refused call under its old id (`entry.id`) when its payment never left the process.
   * @returns the call, in state `claimed`; null when another process was faster, or its payment may have left after all
   */
  claimAgain(entry: Claim, now: Date): Promise<PaidCall | null>;
  /** A call by its id; null when there is none. */
  find(id: string): Promise<PaidCall | null>;
  /** Finds the call that an authorization bought, and the one under the payer's key. */
  findEarlier(payment: Payment, idempotencyKey: string | null): Promise<Earlier>;
  /**
   * The newest call that a wallet has paid for, or may be paying for, with exactly this request: one that is under way, or whose
   * answer is stored and reports no failure.
   */
  findBought(request: BoughtRequest): Promise<PaidCall | null>;
  /**
   * The id of the call that has a payment; null when there is none. On Solana, the hash of the message identifies a payment,
   * whichever wallet is taken for its payer.
   */
  findCallOfPayment(payment: Payment): Promise<string | null>;
  /** Whether only its payer can know a payment. Others are public once they were submitted. */
  isPrivate(payment: Payment): Promise<boolean>;
  /**
   * Puts a transfer to us that belongs to no paid call on the operator's worklist, once, however often it is seen.
   * @param operation the operation that its payer requested with it
   */
  recordTransferWithoutCall(
    payment: Payment,
    transactionHash: string | null,
    operation: string,
    now: Date,
  ): Promise<void>;
}

/** When a call is attempted again after a failure. */
export interface NextAttempt {
  /** Consecutive attempts of recovery that did not finish the call. */
  readonly attempts: number;
  readonly attemptAt: Date;
  /** Whether the attempt was to deliver a paid call. Otherwise it was to charge one or to learn its outcome. */
  readonly isDelivery: boolean;
  /** Why it was not finished, a code, if callers and operators should know. */
  readonly note?: string;
}

/** What recovery needs to know about a call to take it over. */
export type AbandonedCall = Pick<PaidCall, 'id' | 'operation' | 'state' | 'attempts'>;

/** Which process works on an unfinished call, and when recovery may. */
export interface CallHolds {
  /**
   * Takes over an unfinished call that no live process works on.
   * @returns the call; null when a live process works on it, or it has moved on
   */
  takeOver(call: Pick<PaidCall, 'id' | 'state'>): Promise<PaidCall | null>;
  /**
   * Takes over an unfinished call for recovery, as above. The attempt is counted before its work begins, so an attempt that
   * crashes its process counts too.
   */
  takeOverForRecovery(call: Pick<PaidCall, 'id' | 'state'>): Promise<PaidCall | null>;
  /** Unfinished calls that are due and that no live process works on, those that have waited longest first. */
  abandonedCalls(now: Date, limit: number): Promise<AbandonedCall[]>;
  /**
   * Refused calls whose authorization has expired and is not yet known to be unused. The calls returned least recently come
   * first, so that a call whose outcome cannot be determined does not hold up the others.
   */
  refusalsToClose(now: Date, limit: number): Promise<readonly PaidCall[]>;
  /** Ids of the unfinished calls that this process holds according to the store. */
  heldCalls(): Promise<string[]>;
  /** Releases a call of this process. Recovery may take it from `attemptAt`. */
  release(id: string, attemptAt: Date): Promise<void>;
  /**
   * Releases a call that could not be finished now; recovery tries again from `attemptAt`. A call that was settled while its
   * charge was attempted stays due for delivery at once.
   */
  postpone(id: string, next: NextAttempt): Promise<void>;
  /**
   * Records that something may be sent to a third party for a settled call of this process, by erasing the note of an earlier
   * attempt that says that nothing was sent.
   * @returns false when this process no longer holds the call
   */
  recordSending(id: string): Promise<boolean>;
}

/** The moves of a paid call. Each is made only from the states that it may be made from, whatever the caller believes. */
export interface CallMoves {
  /**
   * `claimed` to `settling`, with what was prepared: from here on the payment may leave the process.
   * @returns false when the call is no longer `claimed`: another process has refused it
   */
  recordPrepared(call: Pick<PaidCall, 'id'>, prepared: unknown, now: Date): Promise<boolean>;
  /**
   * `claimed` to `refused`: the preparation failed, and nothing was charged. The key is free again, unless the payment was
   * submitted and refused before: then it may still be made.
   * @returns false when the call is no longer `claimed`: another process has refused it, or may be charging it
   */
  recordUnprepared(call: Pick<PaidCall, 'id'>, reason: string, now: Date): Promise<boolean>;
  /**
   * Records the outcome of a payment that was looked up on the chain, not mined by us. Does nothing when the call has moved on.
   */
  recordOutcome(paidCallId: string, outcome: Outcome, now: Date): Promise<void>;
  /** `unknown` back to `settling`, before the payment is submitted again. @returns false when the call is no longer `unknown` */
  recordResubmission(call: Pick<PaidCall, 'id'>, now: Date): Promise<boolean>;
  /**
   * `refused` back to `claimed`, to be prepared and submitted again, because its payment is unused and valid. This process holds
   * the call from then on.
   * @returns false when the refusal is final, or another process was faster
   */
  recordReopened(call: Pick<PaidCall, 'id'>, now: Date): Promise<boolean>;
  /**
   * The authorization was never used and never can be. Erases the input that was kept in case it was, and frees the idempotency
   * key.
   */
  recordRefusalFinal(paidCallId: string, now: Date): Promise<void>;
  /**
   * Stores the answer and ends the call, at one moment: as `delivered`, or as `kept`, with its reason, when the answer reports a
   * failure.
   * @param creditedAccount the prepaid account that a deposit enters; null for every other call, and for a deposit that was
   *   credited before a reorganization
   * @returns false when the call could not be ended: another process has ended it, the deposit was credited before, or its
   *   account is revoked
   */
  recordResult(
    call: Pick<PaidCall, 'id'>,
    answer: StoredAnswer,
    creditedAccount: string | null,
    now: Date,
  ): Promise<boolean>;
  /** `settled` to `needs_attention`: paid, and the program cannot deliver it. From here on it is on the worklist. */
  recordNeedsAttention(call: Pick<PaidCall, 'id'>, note: string, now: Date): Promise<void>;
  /**
   * Refunds a settled call that a prepaid account paid for and for which nothing was sent, to that account.
   * @param note why nothing was sent
   * @returns false when the call has moved on. Rejects when the account is revoked; nothing is recorded then
   */
  refundUnsent(call: Pick<PaidCall, 'id' | 'payment'>, note: string, now: Date): Promise<boolean>;
}

/** The store of paid calls, as one process sees it. */
export interface CallStore extends CallClaims, CallHolds, CallMoves {}

/** How long work counts from the start of its period, in milliseconds. */
export const workCountsMs = 60 * 60_000;

/** The amount of work in a period, in the unit of its kind. */
export interface WorkInSpan {
  readonly since: Date;
  readonly amount: number;
}

/** The payer of a new call. */
export interface WorkPayer {
  readonly payer: string;
  /** The token that the payer pays with. */
  readonly asset: string;
  /** The only network on which the address identifies the payer; null when it does on every network. */
  readonly onlyOn: string | null;
}

/** A payer's history before new work is done. */
export interface WorkHistory {
  /** Whether a call of this payer was ever charged. */
  readonly wasCharged: boolean;
  /** Work by the key that it was counted for. */
  readonly work: ReadonlyMap<string, readonly WorkInSpan[]>;
}

/** The record of work that was not charged. */
export interface WorkRecord {
  /** Reads the work that counts now. */
  history(payer: WorkPayer, keys: { payer: string; address: string | null }, now: Date): Promise<WorkHistory>;
  /** Adds work for these keys. A negative amount gives some back. */
  add(keys: readonly string[], amount: number, now: Date): Promise<void>;
  /** The hash of an address for today. */
  hashAddress(address: string, now: Date): Promise<string>;
}
