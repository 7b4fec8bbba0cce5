import type { RailName } from '@/lib/catalog/operation';
import type { Refund } from '@/lib/ledger/refund-records';
import type { RefundState } from '@/lib/ledger/refund-states';
import type { PaidCallState, PaidCallStep, SettlementState } from '@/lib/ledger/states';
import type { Signed } from '@/lib/payments/payment';

/**
 * The rows of the tables that the money core uses, named as in prisma/schema.prisma, which explains them. What is encrypted there
 * is text or an object here. Rows are never changed in place.
 */
export interface PaidCallRow {
  readonly id: string;
  readonly operation: string;
  readonly rail: RailName;
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly authorization: string;
  readonly amountAtomic: bigint;
  readonly payTo: string;
  readonly requestHash: Buffer;
  readonly requestDigest: Buffer | null;
  readonly idempotencyKeyHash: Buffer | null;
  readonly claimTokenHash: Buffer | null;
  readonly state: PaidCallState;
  /** JSON, like `prepared`. */
  readonly input: string | null;
  readonly prepared: string | null;
  readonly payment: { readonly signed: Signed; readonly sinceHeight: bigint } | null;
  readonly validBefore: Date;
  readonly transactionHash: string | null;
  readonly settlementId: string | null;
  readonly refusalReason: string | null;
  readonly answerStatus: number | null;
  /** As lib/ledger/kept-answer.ts writes it. */
  readonly answer: string | null;
  readonly answerExpiresAt: Date | null;
  readonly workedBy: string | null;
  readonly attemptAt: Date;
  readonly queuedForSignerAt: Date | null;
  readonly channelId: string | null;
  readonly reorganizations: number;
  readonly creditedAccount: string | null;
  readonly refusalFinalAt: Date | null;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly movedAt: Date;
  readonly moveNote: string | null;
}

export interface PaidCallMoveRow {
  readonly id: number;
  readonly paidCallId: string;
  readonly fromState: PaidCallStep | null;
  readonly toState: PaidCallStep;
  readonly at: Date;
  readonly note: string | null;
}

export interface PostingRow {
  readonly id: number;
  readonly paidCallId: string | null;
  readonly settlementId: string | null;
  readonly kind: string;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountAtomic: bigint;
  readonly unit: string;
  readonly round: number;
  readonly at: Date;
}

export interface SettlementTransactionRow {
  readonly id: string;
  readonly network: string;
  readonly signer: string | null;
  readonly nonce: bigint | null;
  readonly hash: string;
  readonly raw: Uint8Array<ArrayBuffer> | null;
  readonly payments: number;
  readonly state: SettlementState;
  readonly blockNumber: bigint | null;
  readonly blockHash: string | null;
  readonly gasUsed: bigint | null;
  readonly feeAtomic: bigint | null;
  readonly feeInVainAtomic: bigint | null;
  readonly feeUnit: string | null;
  readonly reorganizations: number;
  readonly reorganizedAt: Date | null;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  readonly finalAt: Date | null;
}

export interface SettlementSignerRow {
  readonly network: string;
  readonly signer: string;
  readonly holder: string | null;
  readonly nextNonce: bigint | null;
}

export interface GasInVainRow {
  readonly settlementId: string;
  readonly paidCallId: string;
  readonly network: string;
  readonly payer: string;
  readonly code: string | null;
  readonly gas: bigint;
  readonly at: Date;
}

export interface InstanceRow {
  readonly id: string;
  readonly aliveUntil: Date;
  readonly settles: readonly string[];
}

export interface RefundRow extends Refund {
  readonly round: number;
  readonly transferIndex: number | null;
  readonly checkAt: Date;
}

export interface RefundMoveRow {
  readonly id: number;
  readonly refundId: string;
  readonly fromState: RefundState | null;
  readonly toState: RefundState;
  readonly transactionHash: string | null;
  readonly at: Date;
  readonly note: string | null;
}

export interface AccountRow {
  readonly id: string;
  readonly revokedAt: Date | null;
}

export interface AccountBalanceRow {
  readonly accountId: string;
  readonly balanceAtomic: bigint;
}

export interface TransferWithoutCallRow {
  readonly id: string;
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly authorization: string;
  readonly amountAtomic: bigint;
  readonly payTo: string;
  readonly transactionHash: string | null;
  readonly operation: string;
  readonly foundAt: Date;
}
