import { transactionPage } from '@/lib/payments/explorers';
import { toPrice } from '@/lib/payments/money';
import type { ListedCall } from './find-calls';

/** A listed call as JSON, for programs: times in UTC, amounts in USDC and in atomic units. */
export function callFacts(call: ListedCall) {
  const { amountAtomic, moveNote, createdAt, movedAt, transactionHash, ...facts } = call;
  return {
    ...facts,
    amount: toPrice(amountAtomic),
    amountAtomic: amountAtomic.toString(),
    reason: moveNote,
    transactionHash,
    transactionPage: transactionHash && transactionPage(call.network, transactionHash),
    createdAt: createdAt.toISOString(),
    movedAt: movedAt.toISOString(),
  };
}
