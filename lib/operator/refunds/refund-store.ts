import type {
  NewRefund,
  Refund,
  SentTransaction,
  TransferLocation,
  UsedTransfers,
} from '@/lib/ledger/refund-records';
import type { PaidCallState } from '@/lib/ledger/states';
import type { Operator } from '@/lib/operator/actions';
import type { SignatureEnd } from '@/lib/payments/refund-transfer';

/**
 * What refunds need from a store. The ledger implements it over PostgreSQL, and the tests have a twin in memory; one suite checks
 * both (tests/simulation/stores). Every function rejects when the store cannot be reached, and what it should have written may
 * then be written or not.
 */

/** What a refund needs to know about a call: nothing that a caller wrote. */
export interface CallToRefund {
  readonly id: string;
  readonly operation: string;
  readonly state: PaidCallState;
  /** `account` when it was paid from a prepaid account. */
  readonly network: string;
  /** The wallet that paid, or the account. */
  readonly payer: string;
  readonly amountAtomic: bigint;
  readonly transactionHash: string | null;
  readonly createdAt: Date;
  /** The block of the payment; null when it is not known. */
  readonly paidInBlock: bigint | null;
  /** The prepaid account that the payment was credited to, if it was a deposit. */
  readonly creditedAccount: string | null;
  /** Whether no reorganization can take the payment away any more, as far as the store knows. */
  readonly isPaymentFinal: boolean;
}

interface RefundReads {
  find(id: string): Promise<Refund | null>;
  /** The refunds of a call, newest first. */
  refundsOf(paidCallId: string): Promise<readonly Refund[]>;
  findCall(paidCallId: string): Promise<CallToRefund | null>;
  isOpenAccount(accountId: string): Promise<boolean>;
  /** How refunds already use a transaction, without counting one of them. */
  usedTransfers(network: string, transactionHash: string, exceptId: string | null): Promise<UsedTransfers>;
  /**
   * Takes open refunds whose check is due, the longest overdue first. Each is due again after a wait that grows with the time
   * since its last move, so a process that dies during a check only delays that check.
   */
  takeToCheck(now: Date, limit: number): Promise<readonly Refund[]>;
}

/**
 * What the chain shows about an open refund. Each is recorded only if the refund is still as the caller knows it, and returns
 * false otherwise.
 */
interface RefundFindings {
  /** The search has found the transaction of a refund. */
  recordFound(refund: Refund, sent: SentTransaction, now: Date): Promise<boolean>;
  /**
   * The refund's transaction is in a block, with its transfer. From here on no other refund can claim that transfer.
   * @throws a unique violation when another refund already has it
   */
  recordIncluded(refund: Refund, place: TransferLocation): Promise<void>;
  /** A reorganization removed the transfer of a refund from its block. The refund stays `sent`, and is on the worklist. */
  recordReorganized(refund: Refund, now: Date): Promise<boolean>;
  /**
   * `sent` to `confirmed`, with the transfer. The call moves to `refunded`, and the money is posted, at the same moment.
   * @throws a unique violation when another refund already has that transfer
   */
  recordConfirmed(refund: Refund, place: TransferLocation, now: Date): Promise<boolean>;
  /**
   * `sent` to `failed`: its transaction is final without the transfer, and nothing else that was signed for it can still be
   * carried out. A refund that a wallet has been asked to sign since is left alone.
   */
  recordFailed(refund: Refund, note: string, now: Date): Promise<boolean>;
}

/** A transaction that an operator names as a refund. */
export interface NamedTransaction {
  readonly kind: 'send';
  readonly sent: SentTransaction;
  /** Its transfer in a block, if that is known, and whether the block is final. */
  readonly found: { readonly place: TransferLocation; readonly isFinal: boolean } | null;
}

/** What an operator does to a refund that has begun. */
export type RefundChange =
  /** A wallet is asked to sign it, with this end. */
  { readonly kind: 'sign'; readonly end: SignatureEnd } | NamedTransaction | { readonly kind: 'cancel' };

/** How a refund begins: it waits for a wallet, it has a transaction already, or it credits a prepaid account at once. */
export type RefundBeginning = { readonly kind: 'request' } | NamedTransaction | { readonly kind: 'post' };

/** Who does it, what they note about it, and when. */
export interface RefundStep {
  readonly operator: Operator;
  readonly note: string | null;
  readonly now: Date;
}

/** Everything here is logged as an action of the operator, at the same moment. */
interface OperatorMoves {
  /**
   * Begins a refund, if the call may be refunded and has no other refund that is open or confirmed.
   * @throws a unique violation when another one is open or confirmed, or has the transfer; a check violation when the call may
   *   not be refunded
   */
  begin(refund: NewRefund, how: RefundBeginning, checkAt: Date, step: RefundStep): Promise<Refund>;
  /**
   * Changes a refund that is still as the caller knows it.
   * @returns false when it is not
   * @throws a unique violation when another refund has the transfer
   */
  change(refund: Refund, change: RefundChange, step: RefundStep): Promise<boolean>;
}

export interface RefundStore extends RefundReads, RefundFindings, OperatorMoves {}
