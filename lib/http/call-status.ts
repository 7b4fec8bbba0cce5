import type { z } from 'zod';
import type { NextStep, PaymentOutcome } from '@/lib/catalog/errors/codes';
import type { paidCall } from '@/lib/catalog/free';
import { testFields } from '@/lib/catalog/test-service';
import type { PaidCallSummary } from '@/lib/ledger/paid-call-summary';
import { toPrice } from '@/lib/payments/money';
import type { Platform } from '@/lib/platform/platform';

/** The state of a paid call as callers see it. */
export type CallStatus = z.output<typeof paidCall.output>;

/** What each state means for the money and for the caller. */
const meaning: Readonly<Record<PaidCallSummary['state'], { payment: PaymentOutcome; retry: NextStep }>> = {
  claimed: { payment: 'in_flight', retry: 'same_request' },
  settling: { payment: 'in_flight', retry: 'same_request' },
  unknown: { payment: 'unknown', retry: 'same_request' },
  settled: { payment: 'kept', retry: 'same_request' },
  delivered: { payment: 'kept', retry: 'same_request' },
  kept: { payment: 'kept', retry: 'stop' },
  needs_attention: { payment: 'kept', retry: 'stop' },
  // Anyone may still submit the payment. An identical request looks at the chain again.
  refused: { payment: 'unknown', retry: 'same_request' },
  refunded: { payment: 'refunded', retry: 'stop' },
};

/** In these states, the note of the last move is meant for the caller too. */
const hasReason: readonly PaidCallSummary['state'][] = ['settled', 'kept', 'needs_attention', 'refunded'];

const refusedForGood = { payment: 'none', retry: 'pay' } as const;

/** The state of a call and what to do next, without its input or answer. */
export function describeCall({ settings }: Pick<Platform, 'settings'>, call: PaidCallSummary): CallStatus {
  return {
    id: call.id,
    operation: call.operation,
    state: call.state,
    price: toPrice(call.amountAtomic),
    currency: 'USDC',
    ...testFields(settings.NETWORKS === 'test'),
    network: call.network,
    transaction: call.transactionHash,
    reason: call.refusalReason ?? (hasReason.includes(call.state) ? call.moveNote : null),
    ...(call.refusalFinalAt === null ? meaning[call.state] : refusedForGood),
    refund: call.refund && describeRefund(call.refund),
    createdAt: call.createdAt.toISOString(),
    movedAt: call.movedAt.toISOString(),
  };
}

function describeRefund(refund: NonNullable<PaidCallSummary['refund']>): CallStatus['refund'] {
  const isPosted = refund.method === 'account';
  return {
    state: refund.state === 'confirmed' ? 'confirmed' : 'sent',
    amount: toPrice(refund.amountAtomic),
    currency: 'USDC',
    network: refund.network,
    transaction: refund.transactionHash,
    accountId: isPosted ? refund.recipient : null,
    at: refund.movedAt.toISOString(),
  };
}
