import type { Refund } from '@/lib/ledger/refund-records';
import {
  openRefundStates,
  type RefundMethod,
  type RefundReason,
  refundReasons,
} from '@/lib/ledger/refund-states';
import { refundableStates } from '@/lib/ledger/states';
import type { Payments } from '@/lib/payments/app-payments';
import { onAccount } from '@/lib/payments/payment';
import type { RefundTransfer } from '@/lib/payments/refund-transfer';
import type { Platform } from '@/lib/platform/platform';
import { RefundError, type RefundProblem } from './refund-error';
import type { CallToRefund, RefundStore } from './refund-store';

/** What refunds use of the app. */
export interface RefundsApp extends Pick<Platform, 'clock' | 'log' | 'timings'> {
  readonly refunds: RefundStore;
  readonly payments: Pick<Payments, 'refundReaderAt'>;
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
export async function findRefundable(
  app: Pick<RefundsApp, 'refunds' | 'payments'>,
  paidCallId: string,
): Promise<Refundable | null> {
  const [call, refunds] = await Promise.all([
    app.refunds.findCall(paidCallId),
    app.refunds.refundsOf(paidCallId),
  ]);
  if (!call) return null;
  const open = refunds.find(({ state }) => openRefundStates.includes(state)) ?? null;
  const reader = app.payments.refundReaderAt(call.network);
  const isOnAccount = call.network === onAccount;
  return {
    call,
    refunds,
    open,
    problem: problemOf(call) ?? (open ? 'refund_open' : null),
    methods: isOnAccount ? ['account'] : reader ? ['wallet', 'transfer', 'account'] : ['account'],
    reasons: call.state === 'delivered' ? deliveredReasons : refundReasons,
    hasPayerCode: (await reader?.hasCode(call.payer).catch(() => false)) ?? false,
  };
}

/** Why no refund of a call can begin, apart from other refunds. */
function problemOf({ state, creditedAccount, isPaymentFinal }: CallToRefund): RefundProblem | null {
  if (state === 'refunded') return 'already_refunded';
  if (!refundableStates.includes(state)) return 'call_not_refundable';
  if (creditedAccount !== null) return 'deposit_credited';
  if (!isPaymentFinal) return 'payment_not_final';
  return null;
}

/** The call of a refund. @throws RefundError call_not_found */
export async function callToRefund(
  { refunds }: Pick<RefundsApp, 'refunds'>,
  paidCallId: string,
): Promise<CallToRefund> {
  const found = await refunds.findCall(paidCallId);
  if (!found) throw new RefundError('call_not_found');
  return found;
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
