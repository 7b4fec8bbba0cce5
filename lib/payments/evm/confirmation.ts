import type { TransactionReceipt } from 'viem';
import type { Outbox } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import type { Outcome } from '@/lib/payments/outcome';
import { carriesPayment } from './authorized-transfers';
import { gasInVain } from './evm-gas';
import type { FailedCharges } from './failed-charges';
import type { EvmCharge } from './settlement-transaction';

/** The outcomes of a mined transaction. */
export interface Confirmation {
  /** Resolves once the ledger has recorded it. */
  readonly recorded: Promise<void>;
  /** The outcome of each charge, by its paid call. Some are known at once, others are tried again first. */
  readonly outcomes: ReadonlyMap<string, Outcome | Promise<Outcome>>;
}

/**
 * Records a mined transaction. Settled charges wait neither for the recording nor for the failed charges, which are resolved
 * after it.
 */
export function confirm(
  { charges }: { readonly charges: readonly EvmCharge[] },
  receipt: TransactionReceipt,
  to: { network: NetworkName; outbox: Pick<Outbox, 'recordMined'>; failed: FailedCharges },
): Confirmation {
  const { transactionHash: hash, gasUsed, effectiveGasPrice } = receipt;
  const block = { number: receipt.blockNumber, hash: receipt.blockHash };
  const failed = charges.filter(({ payment }) => !carriesPayment(receipt, payment));
  const carried = charges.filter((charge) => !failed.includes(charge));
  const settled = { kind: 'settled', transactionHash: hash, block } as const;
  const inVain = gasInVain(receipt, charges, failed);
  const recorded = to.outbox.recordMined({
    network: to.network,
    hash,
    block,
    gasUsed,
    feeAtomic: gasUsed * effectiveGasPrice,
    outcomes: carried.map((charge) => ({ charge, outcome: settled })),
    feeInVainAtomic: inVain.total * effectiveGasPrice,
    inVain: inVain.shares,
    failedIds: failed.map(({ paidCallId }) => paidCallId),
  });
  const unknown: Outcome = { kind: 'unknown', transactionHash: hash };
  const resolved = recorded.then(
    () => to.failed.resolve(failed, { hash, block, inVain: inVain.shares }),
    () => [],
  );
  const outcomes = new Map<string, Outcome | Promise<Outcome>>();
  for (const { paidCallId } of carried) outcomes.set(paidCallId, { ...settled, recorded });
  for (const [index, { paidCallId }] of failed.entries())
    outcomes.set(
      paidCallId,
      resolved.then((known) => known[index] ?? unknown),
    );
  return { recorded, outcomes };
}
