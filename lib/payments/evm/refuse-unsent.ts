import type { Outbox } from '@/lib/payments/journal';
import type { Outcome } from '@/lib/payments/outcome';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { EvmChain } from './evm-chain';
import { resolveEvmOutcome } from './resolve-outcome';
import type { EvmCharge } from './settlement-transaction';

/** What the ledger is asked and told about a charge that is not sent. */
export type UnsentOutbox = Pick<Outbox, 'isUnderWay' | 'recordOutcome' | 'refuseUnlessSent'>;

/** How many blocks are searched for a transaction that was sent before: far more than an authorization stays valid for. */
const searchedBlocks = 9_000n;

/**
 * Refuses a charge that would no longer go through. The payment may have gone through already: in a transaction whose process
 * died after sending it, or submitted by someone else. So it is refused only if no transaction of ours carries it and the
 * chain says that it is unused. The outcome is recorded, because a process that queued the charge reads it from the ledger.
 */
export async function refuseUnsent(
  app: ChainPlatform,
  chain: EvmChain,
  outbox: UnsentOutbox,
  charge: EvmCharge,
  reason: string,
): Promise<Outcome> {
  if (await outbox.isUnderWay(charge)) return { kind: 'unknown', transactionHash: null };
  const { number } = await chain.head();
  const sinceHeight = number > searchedBlocks ? number - searchedBlocks : 0n;
  const trace = { sinceHeight, transactionHash: null };
  const found = await resolveEvmOutcome(app, chain, charge.payment, trace);
  if (found.kind === 'unknown' && found.isUnused) return outbox.refuseUnlessSent(charge, reason);
  if (found.kind !== 'unknown') await outbox.recordOutcome(charge, found);
  return found;
}
