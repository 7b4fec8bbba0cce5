import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import { isAddressEqual, type PublicClient, parseEventLogs } from 'viem';
import type { EvmChain } from '@/lib/payments/evm/chain';
import { batchSettlementAbi } from './abi';
import type { ChannelEvent } from './book';
import type { ChannelTerms } from './terms';

/** Public nodes reject log queries over more blocks. */
export const logRangeBlocks = 9_000n;

/**
 * The events of the contract in a range of blocks: those of every channel, because their logs do not name the receiver, and
 * of what was swept, only ours. Every RPC that responds must say the same about every field.
 * @throws when none responds, or they disagree
 */
export async function readEvents(
  chain: EvmChain,
  terms: ChannelTerms,
  fromBlock: bigint,
  toBlock: bigint,
): Promise<readonly ChannelEvent[]> {
  const events = await chain.unanimous(
    (client) => eventsAt(client, terms, fromBlock, toBlock),
    (all) => all.map((event) => Object.values(event).join(' ')).join(),
  );
  if (events === null)
    throw new Error(`the RPCs of ${chain.offer.network.name} disagree about the events of channels`);
  return events;
}

async function eventsAt(
  client: PublicClient,
  { offer }: ChannelTerms,
  fromBlock: bigint,
  toBlock: bigint,
): Promise<ChannelEvent[]> {
  const raw = await client.getLogs({ address: BATCH_SETTLEMENT_ADDRESS, fromBlock, toBlock });
  const logs = parseEventLogs({ abi: batchSettlementAbi, logs: raw, strict: true });
  return logs.flatMap((log): ChannelEvent[] => {
    const { blockNumber, transactionHash, logIndex, eventName: name } = log;
    const at = { blockNumber, transactionHash, logIndex, name };
    switch (log.eventName) {
      case 'Settled': {
        const { receiver, token, amount } = log.args;
        const isOurs =
          isAddressEqual(receiver, offer.payTo as typeof receiver) &&
          isAddressEqual(token, offer.asset as typeof token);
        return isOurs ? [{ ...at, channelId: null, amountAtomic: amount }] : [];
      }
      case 'Claimed':
        return [{ ...at, channelId: log.args.channelId, amountAtomic: log.args.claimAmount }];
      case 'ChannelCreated':
      case 'ChannelClosed':
        return [{ ...at, channelId: log.args.channelId, amountAtomic: 0n }];
      default:
        return [{ ...at, channelId: log.args.channelId, amountAtomic: log.args.amount }];
    }
  });
}
