import type { MinedTransaction } from '@/lib/payments/journal';
import { toCoins } from '@/lib/payments/money';
import type { Platform } from '@/lib/platform/platform';

/** Counts a settlement transaction that is in a block: what it carried, and what it cost. */
export function countMined({ metrics }: Pick<Platform, 'metrics'>, transaction: MinedTransaction): void {
  const { network, outcomes, inVain, gasUsed, feeAtomic, feeInVainAtomic } = transaction;
  metrics.settlements.inc({ network, event: 'mined' });
  metrics.settlementPayments.observe({ network }, outcomes.length + inVain.length);
  metrics.gas.inc({ network }, Number(gasUsed));
  metrics.fees.inc({ network }, toCoins(network, feeAtomic));
  metrics.feesInVain.inc({ network }, toCoins(network, feeInVainAtomic));
}
