import { settlementChecks } from '@/lib/operator/audit/checks/postings';
import type { NetworkName, Offer } from '@/lib/payments/network-offers';
import type { Clock } from '@/lib/platform/clock';
import { AuditSession, type Check, type Connections, type Finding } from './audit-session';
import { type NodeTransfers, nodeTransfers } from './chain-transfers';
import { accountChecks } from './checks/accounts';
import { chainChecks } from './checks/chain';
import { effectChecks } from './checks/effects';
import { moveChecks } from './checks/moves';
import { nodeChecks } from './checks/nodes';
import { postingChecks } from './checks/postings';
import { outgoingChecks, refundChecks } from './checks/refunds';
import { transferChecks } from './checks/transfers';

/** The transfers of one network. */
export interface TransferSource {
  readonly network: string;
  /** Asks each of its nodes. */
  readonly nodes: readonly (() => Promise<NodeTransfers>)[];
}

/** The first block of a network whose transfers are read. It has no meaning on Solana. */
export type FromBlocks = (network: NetworkName) => bigint;

/** The transfers on the offered networks since a block of each. */
export function chainSources(offers: readonly Offer[], fromBlocks: FromBlocks): TransferSource[] {
  return offers.map((offer) => ({
    network: offer.network.name,
    nodes: offer.rpcUrls.map((url) => () => nodeTransfers(offer, url, fromBlocks(offer.network.name))),
  }));
}

/**
 * Compares the ledger with the chains and with itself, with one page of transfers and one page of findings in memory. The
 * chains are read first, from every node of a network, and a transfer counts if any node has it. A node that does not answer is
 * left out. Calls that move meanwhile are left to the next audit.
 * @param featureChecks what optional features promise
 * @param tell gets a line about each node that is left out
 * @returns the findings, one by one; none when everything is in order
 * @throws when no node of a network answers
 */
export async function* auditLedger(
  clock: Clock,
  connections: Connections,
  sources: readonly TransferSource[],
  featureChecks: readonly Check[],
  tell: (line: string) => void = () => undefined,
): AsyncGenerator<Finding> {
  const startedAt = clock.date();
  yield* AuditSession.with(connections, async function* (session) {
    for (const source of sources) await readNodes(session, source, tell);
    const networks = sources.map(({ network }) => network);
    yield* session.find([
      ...nodeChecks,
      ...chainChecks(networks, startedAt),
      ...moveChecks,
      ...postingChecks,
      ...accountChecks,
      ...featureChecks,
      ...effectChecks,
      ...settlementChecks,
      ...refundChecks,
      ...transferChecks,
      ...outgoingChecks(networks, startedAt),
    ]);
  });
}

async function readNodes(
  session: AuditSession,
  { network, nodes }: TransferSource,
  tell: (line: string) => void,
): Promise<void> {
  const read = await Promise.allSettled(
    nodes.map(async (ask, index) => {
      const node = index + 1;
      const { height, pages } = await ask();
      for await (const { incoming, outgoing } of pages) {
        await session.addTransfers(node, incoming);
        await session.addOutgoing(node, outgoing);
      }
      // The node has now reported everything that it has up to this block.
      await session.addNode(network, node, height);
    }),
  );
  const failures = read.filter((result) => result.status === 'rejected');
  if (failures[0] && failures.length === read.length) throw failures[0].reason;
  // Without the reason, which may have the address of the node and a key in it.
  for (const [index, { status }] of read.entries())
    if (status === 'rejected')
      tell(`${network}: RPC ${index + 1} of ${nodes.length} did not answer and is left out`);
}
