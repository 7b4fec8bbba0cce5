import type { z } from 'zod';
import type { free } from '@/lib/catalog';
import { ApiError } from '@/lib/errors/api-error';
import type { NextStep, PaymentOutcome } from '@/lib/errors/codes';
import { findPaidCallSummary, type PaidCallSummary } from '@/lib/ledger/paid-call-summary';
import { toPrice } from '@/lib/payments/money';
import type { HttpApp } from './app';

type Status = z.output<typeof free.paidCall.output>;

/** What each state means for the money and for the caller. */
const meaning: Readonly<Record<PaidCallSummary['state'], { payment: PaymentOutcome; retry: NextStep }>> = {
  claimed: { payment: 'in_flight', retry: 'same_request' },
  prepared: { payment: 'in_flight', retry: 'same_request' },
  settling: { payment: 'in_flight', retry: 'same_request' },
  unknown: { payment: 'unknown', retry: 'same_request' },
  settled: { payment: 'kept', retry: 'same_request' },
  delivered: { payment: 'kept', retry: 'same_request' },
  kept: { payment: 'kept', retry: 'stop' },
  needs_attention: { payment: 'kept', retry: 'stop' },
  // Anyone may still submit the payment. An identical request looks at the chain again.
  refused: { payment: 'unknown', retry: 'same_request' },
  refunded: { payment: 'none', retry: 'stop' },
};

const refusedForGood = { payment: 'none', retry: 'pay' } as const;

/** `GET /v1/paid-calls/{id}`: the state of a call and what to do next, without its input or answer. */
export async function paidCallStatus(app: HttpApp, id: unknown): Promise<{ body: Status }> {
  const call = typeof id === 'string' ? await findPaidCallSummary(app, id) : null;
  if (!call) throw new ApiError('paid_call_not_found');
  const body: Status = {
    id: call.id,
    operation: call.operation,
    state: call.state,
    price: toPrice(call.amountAtomic),
    currency: 'USDC',
    network: call.network,
    transaction: call.transactionHash,
    reason: call.refusalReason,
    ...(call.refusalFinalAt === null ? meaning[call.state] : refusedForGood),
    createdAt: call.createdAt.toISOString(),
    movedAt: call.movedAt.toISOString(),
  };
  return { body };
}
