import type { Payment } from './payment';

/** The result of verifying a payment before it is charged. */
export type Verification =
  | {
      readonly ok: true;
      /** Chain head when the payment was verified. A payment that was not used then can only be in a later block. */
      readonly height: bigint;
    }
  | {
      readonly ok: false;
      readonly reason: string;
      /** Chain head when the payment was verified; 0 when the chain was not asked. */
      readonly height: bigint;
      /** Set when the payment is valid, but its payer has to wait. Seconds. */
      readonly retryAfterSeconds?: number;
    };

/** Reasons that say nothing about a use of the payment: tokens check these conditions first, and so do we check its time. */
const checkedBeforeUse =
  /simulation_failed|^token_paused$|^payer_blocked$|authorization_valid_before(_too_soon)?$|^challenge_expired$/;

/**
 * Whether a payment may have failed verification because it was already used. EVM tokens say so, unless something else is wrong
 * with it too: it may have expired since. On Solana only the failed simulation is known.
 */
export function mayMeanUsed(reason: string): 'certainly' | 'perhaps' | 'no' {
  if (/nonce_already_used|duplicate_settlement/.test(reason)) return 'certainly';
  return checkedBeforeUse.test(reason) ? 'perhaps' : 'no';
}

/** The refusal reason when an account's balance is too low. */
export const balanceTooLow = 'balance_too_low';

/** The reason code for a wallet that the token's issuer has blocked: on the token's block list, or with a frozen account. */
export const payerBlocked = 'payer_blocked';

/** Reasons that concern one payment: its balance, its nonce, its time, its wallet, its total. */
const ofOnePayment =
  /balance|funds|nonce|duplicate|expired|authorization_|undeployed|gas_budget|smart_wallet|cumulative|fee_payer|payload_transaction$/;

/** Whether a payment may have failed because of something that concerns every payer on its network. */
export function mayConcernEverybody(reason: string): boolean {
  return !ofOnePayment.test(reason);
}

/** The block that holds a transaction. On Solana its slot, without a hash. */
export interface Block {
  readonly number: bigint;
  readonly hash: string | null;
}

/** A payment's outcome. Everything that is not proven is `unknown`. */
export type Outcome =
  | {
      readonly kind: 'settled';
      /** Null where no transaction was made for the payment, such as from accounts. */
      readonly transactionHash: string | null;
      /** Null where the ledger alone decides, such as for accounts. */
      readonly block: Block | null;
      /** Set while the settler is still recording it. Rejects when that fails, and the outcome then counts as unknown. */
      readonly recorded?: Promise<void>;
      /** The ledger already has this outcome, and may have a later one, so it must not be recorded again. */
      readonly isInLedger?: true;
    }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** A block shows it that is not final: a reorganization may make the payment possible again. */
      readonly isReversible?: true;
    }
  | {
      readonly kind: 'unknown';
      readonly transactionHash: string | null;
      /** The chain was asked: the payment has not been used, but still can be. */
      readonly isUnused?: true;
    };

/** The outcome of a payment that is not known in time. */
export const unknownOutcome: Outcome = { kind: 'unknown', transactionHash: null };

/** A payment to charge for a paid call. */
export interface Charge {
  readonly paidCallId: string;
  readonly payment: Payment;
  /** Whether a third party is called after the charge, so that a charge that only the ledger has must be on disk by then. */
  readonly isBeforeThirdParty?: boolean;
}

/** What the ledger knows about a payment that is looked up. */
export interface Trace {
  /** The paid call whose payment it is; left out when there is none. */
  readonly id?: string;
  /** Chain head when the payment was accepted; earlier blocks are not searched. */
  readonly sinceHeight: bigint;
  readonly transactionHash: string | null;
  /** As in `Charge`, because looking a payment up may charge it. */
  readonly isBeforeThirdParty?: boolean;
}

/** A transaction that is in a block, and that a reorganization may still remove. */
export interface SettledTransaction {
  readonly hash: string;
  readonly block: Block | null;
}

/** The status of a settled transaction on the current chain. */
export type FinalityStatus =
  | { readonly kind: 'final' | 'included'; readonly block: Block }
  /** A reorganization removed or moved it, so its payments have to be looked up again. */
  | { readonly kind: 'vanished' }
  /** It is final, and moved no money. If calls count as paid by it, it moved their money in a fork that no longer exists. */
  | { readonly kind: 'failed' };
