import type { Offer } from '@/lib/payments/networks';
import type { Clock } from '@/lib/platform/clock';
import { type ChainTransfer, chainTransfers } from './chain-transfers';
import { accountChecks } from './checks/accounts';
import { chainChecks } from './checks/chain';
import { effectChecks } from './checks/effects';
import { moveChecks } from './checks/moves';
import { postingChecks } from './checks/postings';
import { settlementChecks } from './checks/settlements';
import { AuditSession, type Connections, type Finding } from './session';

/** The transfers of one network, a page at a time. */
export interface TransferSource {
  readonly network: string;
  readonly transfers: AsyncIterable<readonly ChainTransfer[]>;
}

/** What the chains say of the offered networks since a block. */
export function chainSources(offers: readonly Offer[], fromBlock: bigint): TransferSource[] {
  return offers.map((offer) => ({
    network: offer.network.name,
    transfers: chainTransfers(offer, fromBlock),
  }));
}

/**
 * Holds the ledger against the chains and against itself: a page of transfers and a page of findings are all that it has
 * in memory. The chains are read first. Calls that move meanwhile are not held against them; the next audit does that.
 * @returns what is wrong, as it is found; nothing when nothing is
 */
export async function* auditLedger(
  clock: Clock,
  connections: Connections,
  sources: readonly TransferSource[],
): AsyncGenerator<Finding> {
  const startedAt = clock.date();
  yield* AuditSession.with(connections, async function* (session) {
    for (const { transfers } of sources) {
      for await (const page of transfers) await session.addTransfers(page);
    }
    const networks = sources.map(({ network }) => network);
    yield* session.find([
      ...chainChecks(networks, startedAt),
      ...moveChecks,
      ...postingChecks,
      ...accountChecks,
      ...effectChecks,
      ...settlementChecks,
    ]);
  });
}
