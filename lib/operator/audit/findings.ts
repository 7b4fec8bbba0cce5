import { settlementChecks } from '@/lib/operator/audit/checks/postings';
import type { Offer } from '@/lib/payments/networks';
import type { Clock } from '@/lib/platform/clock';
import { chainTransfers, type TransferPage } from './chain-transfers';
import { accountChecks } from './checks/accounts';
import { chainChecks } from './checks/chain';
import { effectChecks } from './checks/effects';
import { moveChecks } from './checks/moves';
import { postingChecks } from './checks/postings';
import { outgoingChecks, refundChecks } from './checks/refunds';
import { AuditSession, type Connections, type Finding } from './session';

/** The transfers of one network, a page at a time. */
export interface TransferSource {
  readonly network: string;
  readonly transfers: AsyncIterable<TransferPage>;
}

/** The transfers on the offered networks since a block. */
export function chainSources(offers: readonly Offer[], fromBlock: bigint): TransferSource[] {
  return offers.map((offer) => ({
    network: offer.network.name,
    transfers: chainTransfers(offer, fromBlock),
  }));
}

/**
 * Compares the ledger with the chains and with itself, with one page of transfers and one page of findings in memory. The
 * chains are read first. Calls that move meanwhile are left to the next audit.
 * @returns the findings, one by one; none when everything is in order
 */
export async function* auditLedger(
  clock: Clock,
  connections: Connections,
  sources: readonly TransferSource[],
): AsyncGenerator<Finding> {
  const startedAt = clock.date();
  yield* AuditSession.with(connections, async function* (session) {
    for (const { transfers } of sources) {
      for await (const { incoming, outgoing } of transfers) {
        await session.addTransfers(incoming);
        await session.addOutgoing(outgoing);
      }
    }
    const networks = sources.map(({ network }) => network);
    yield* session.find([
      ...chainChecks(networks, startedAt),
      ...moveChecks,
      ...postingChecks,
      ...accountChecks,
      ...effectChecks,
      ...settlementChecks,
      ...refundChecks,
      ...outgoingChecks(networks, startedAt),
    ]);
  });
}
