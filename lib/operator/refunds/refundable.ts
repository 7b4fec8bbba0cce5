import { type Refund, refundsOf } from '@/lib/ledger/refund-records';
import {
  openRefundStates,
  type RefundMethod,
  type RefundReason,
  refundReasons,
} from '@/lib/ledger/refund-states';
import { type PaidCallState, refundableStates } from '@/lib/ledger/states';
import type { Payments } from '@/lib/payments/app-payments';
import { onAccount } from '@/lib/payments/payment';
import type { RefundTransfer } from '@/lib/payments/refund-transfer';
import type { WithDatabase } from '@/lib/platform/database/database';
import { RefundError, type RefundProblem } from './refund-error';

/** What `findRefundable` uses. */
interface RefundableDeps extends Pick<WithDatabase, 'db'> {
  readonly payments: Payments;
}

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
}

/** Whether and how a call can be refunded. */
export interface Refundable {
  readonly call: CallToRefund;
  /** Every refund of the call, newest first. */
  readonly refunds: readonly Refund[];
  /** The refund that is requested or sent; null when there is none. */
  readonly open: Refund | null;
  /** Why no refund can begin now; null when one can. `describeProblem` returns its message. */
  readonly problem: RefundProblem | null;
  /** How it can be refunded, whether or not there is a problem now. */
  readonly methods: readonly RefundMethod[];
  /** The reasons that the operator may give. */
  readonly reasons: readonly RefundReason[];
  /** Whether the payer has code, and so may not be able to use what is sent to it: ask for its consent first. */
  readonly hasPayerCode: boolean;
}

const deliveredReasons = refundReasons.filter((reason) => reason !== 'not_delivered');

/**
 * Determines whether and how a call can be refunded. Moves nothing.
 * @returns null when there is no such call
 */
export async function findRefundable(app: RefundableDeps, paidCallId: string): Promise<Refundable | null> {
  const [found, refunds] = await Promise.all([readCall(app, paidCallId), refundsOf(app, paidCallId)]);
  if (!found) return null;
  const { call, problem } = found;
  const open = refunds.find(({ state }) => openRefundStates.includes(state)) ?? null;
  const reader = app.payments.refundReaderAt(call.network);
  const isOnAccount = call.network === onAccount;
  return {
    call,
    refunds,
    open,
    problem: problem ?? (open ? 'refund_open' : null),
    methods: isOnAccount ? ['account'] : reader ? ['wallet', 'transfer', 'account'] : ['account'],
    reasons: call.state === 'delivered' ? deliveredReasons : refundReasons,
    hasPayerCode: (await reader?.hasCode(call.payer).catch(() => false)) ?? false,
  };
}

/** A call and why no refund of it can begin, apart from other refunds. */
async function readCall(
  { db }: Pick<WithDatabase, 'db'>,
  id: string,
): Promise<{ call: CallToRefund; problem: RefundProblem | null } | null> {
  const [row, [finality]] = await Promise.all([
    db.paidCall.findUnique({
      where: { id },
      select: {
        id: true,
        operation: true,
        state: true,
        network: true,
        payer: true,
        amountAtomic: true,
        transactionHash: true,
        createdAt: true,
        creditedAccount: true,
        settlement: { select: { blockNumber: true } },
      },
    }),
    // The database checks the same when a refund begins.
    db.$queryRaw<{ isFinal: boolean }[]>`
      SELECT payment_is_final(paid_call) AS "isFinal" FROM paid_call WHERE id = ${id}`,
  ]);
  if (!row) return null;
  const { creditedAccount, settlement, ...call } = row;
  return {
    call: { ...call, paidInBlock: settlement?.blockNumber ?? null },
    problem: problemOf(call.state, creditedAccount, finality?.isFinal === true),
  };
}

function problemOf(
  state: PaidCallState,
  creditedAccount: string | null,
  isFinal: boolean,
): RefundProblem | null {
  if (state === 'refunded') return 'already_refunded';
  if (!refundableStates.includes(state)) return 'call_not_refundable';
  if (creditedAccount !== null) return 'deposit_credited';
  if (!isFinal) return 'payment_not_final';
  return null;
}

/** The call of a refund. @throws RefundError call_not_found */
export async function callToRefund(app: Pick<WithDatabase, 'db'>, paidCallId: string): Promise<CallToRefund> {
  const found = await readCall(app, paidCallId);
  if (!found) throw new RefundError('call_not_found');
  return found.call;
}

/** The transfer that refunds a call. */
export function transferBack(call: CallToRefund): RefundTransfer {
  return {
    paidCallId: call.id,
    recipient: call.payer,
    amountAtomic: call.amountAtomic,
    paidInBlock: call.paidInBlock,
    paidAt: call.createdAt,
  };
}
