import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import { type PublicClient, parseEventLogs } from 'viem';
import type { EvmChain } from '@/lib/payments/evm/evm-chain';
import { batchSettlementAbi } from './batch-settlement-abi';
import type { ChannelEvent } from './channel';

/** Public nodes reject log queries over more blocks. */
export const logRangeBlocks = 9_000n;

/**
 * The contract's events in a range of blocks, including those of other sellers: only the ledger knows which channels and
 * payees are ours. All RPCs that respond must agree on every field.
 * @throws when none responds, or they disagree
 */
export async function readEvents(
  chain: EvmChain,
  fromBlock: bigint,
  toBlock: bigint,
): Promise<readonly ChannelEvent[]> {
  const events = await chain.unanimous(
    (client) => eventsAt(client, fromBlock, toBlock),
    (all) => all.map((event) => Object.values(event).join(' ')).join(),
  );
  if (events === null)
    throw new Error(`the RPCs of ${chain.offer.network.name} disagree about the events of channels`);
  return events;
}

async function eventsAt(client: PublicClient, fromBlock: bigint, toBlock: bigint): Promise<ChannelEvent[]> {
  const raw = await client.getLogs({ address: BATCH_SETTLEMENT_ADDRESS, fromBlock, toBlock });
  if (raw.length === 0) return [];
  const logs = parseEventLogs({ abi: batchSettlementAbi, logs: raw, strict: true });
  return logs.map((log): ChannelEvent => {
    const { blockNumber, transactionHash, logIndex, eventName: name } = log;
    const at = { blockNumber, transactionHash, logIndex, name };
    switch (log.eventName) {
      case 'Settled': {
        const { receiver, token, amount } = log.args;
        return { ...at, channelId: null, receiver, token, amountAtomic: amount };
      }
      case 'Claimed':
        return {
          ...{ ...at, channelId: log.args.channelId, amountAtomic: log.args.claimAmount },
          claimedAtomic: log.args.newTotalClaimed,
        };
      case 'ChannelCreated':
      case 'ChannelClosed':
        return { ...at, channelId: log.args.channelId, amountAtomic: 0n };
      default:
        return { ...at, channelId: log.args.channelId, amountAtomic: log.args.amount };
    }
  });
}
