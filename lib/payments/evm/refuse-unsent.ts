import type { SettlementJournal } from '@/lib/payments/journal';
import type { Outcome } from '@/lib/payments/payment';
import type { Platform } from '@/lib/platform/platform';
import type { EvmChain } from './chain';
import { resolveEvmOutcome } from './resolve-outcome';
import type { EvmCharge } from './settlement-transaction';

/** How many blocks are searched for a transaction that was sent before: far more than an authorization is valid. */
const searchedBlocks = 9_000n;

/**
 * Refuses a charge that would no longer go through. It may have gone through already: in a transaction whose process died after
 * sending it, or by somebody else. So it is refused only if no transaction of ours carries it, and the chain says that it is unused.
 * The ledger is told, because a process that queued the charge reads its outcome from there.
 */
export async function refuseUnsent(
  app: Platform,
  chain: EvmChain,
  journal: SettlementJournal,
  charge: EvmCharge,
  reason: string,
): Promise<Outcome> {
  if (await journal.isUnderWay(charge)) return { kind: 'unknown', transactionHash: null };
  const { number } = await chain.head();
  const sinceHeight = number > searchedBlocks ? number - searchedBlocks : 0n;
  const trace = { sinceHeight, transactionHash: null };
  const found = await resolveEvmOutcome(app, chain, charge.payment, trace);
  const outcome: Outcome = found.kind === 'unknown' && found.isUnused ? { kind: 'refused', reason } : found;
  if (outcome.kind !== 'unknown') await journal.recordOutcome(charge, outcome);
  return outcome;
}
