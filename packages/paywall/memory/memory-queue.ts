import type { ChargeQueue } from '@/lib/payments/journal';
import type { Outcome } from '@/lib/payments/outcome';
import { chargeOf, isSubmitted } from './memory-charges';
import type { Tables } from './memory-database';
import type { MemoryProcess } from './memory-process';
import type { PaidCallRow } from './memory-rows';

/** The twin of the ledger's queue of charges. */
export function memoryQueue(process: MemoryProcess): ChargeQueue {
  return {
    async enqueue({ paidCallId }) {
      const queuedForSignerAt = process.clock.date();
      await process.query(({ paidCall }) => {
        const call = paidCall.get(paidCallId);
        if (call?.state === 'settling') paidCall.update(call, { queuedForSignerAt });
      });
    },
    async dequeue(network) {
      const ids = await process.query(({ paidCall }) => {
        const queued = paidCall.where((call) => call.network === network && call.queuedForSignerAt !== null);
        for (const call of queued) paidCall.update(call, { queuedForSignerAt: null });
        return queued.filter(isSubmitted).map(({ id }) => id);
      });
      // What is taken and not read is settled when its own process asks again.
      const taken = await process.query(({ paidCall }) => paidCall.where(({ id }) => ids.includes(id)));
      return taken.map(chargeOf);
    },
    outcomes: (paidCallIds) =>
      process.query((tables) => {
        const calls = tables.paidCall.where(({ id }) => paidCallIds.includes(id));
        return new Map(
          calls.flatMap((call) => {
            const outcome = outcomeOf(tables, call);
            return outcome ? [[call.id, outcome]] : [];
          }),
        );
      }),
  };
}

function outcomeOf({ settlementTransaction }: Tables, call: PaidCallRow): Outcome | null {
  const { transactionHash, channelId, settlementId, state } = call;
  const settlement = settlementId === null ? undefined : settlementTransaction.get(settlementId);
  // The deposit into a payment channel is in a block, and the call waits for its voucher to be charged.
  if (channelId !== null && settlement?.state === 'confirmed' && transactionHash !== null) {
    const { blockNumber: number, blockHash: hash } = settlement;
    const block = number !== null && hash !== null ? { number, hash } : null;
    return { kind: 'settled', transactionHash, block, isInLedger: true };
  }
  if (state === 'settling' && !(channelId !== null && settlement?.state === 'confirmed')) return null;
  if (state === 'refused') return { kind: 'refused', reason: call.refusalReason ?? 'payment_refused' };
  if (state === 'unknown' || transactionHash === null) return { kind: 'unknown', transactionHash };
  return { kind: 'settled', transactionHash, block: null, isInLedger: true };
}
