import { BlockNotFoundError, type PublicClient } from 'viem';
import type { FinalityStatus, SettledTransaction } from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { EvmChain } from './chain';

/**
 * Holds settled transactions against the chain as it is now. A block that is still in the chain vouches for every block
 * below it, so the newest are asked first, and in quiet times one question is enough. Where several RPCs are configured,
 * all that answer have to say the same.
 */
export async function checkEvmFinality(
  app: Platform,
  chain: EvmChain,
  transactions: readonly SettledTransaction[],
): Promise<ReadonlyMap<string, FinalityStatus>> {
  const standings = new Map<string, FinalityStatus>();
  if (transactions.length === 0) return standings;
  const network = { network: chain.offer.network.name };
  const condition = app.problems.get(`reviews on ${network.network}`);
  try {
    const height = await chain.client.getBlockNumber({ cacheTime: 0 });
    const isDeep = (block: bigint) => height >= block + BigInt(chain.offer.finalityBlocks);
    let vouchedFor = -1n;
    for (const { hash, block } of newestFirst(transactions)) {
      // A node that has not come so far can say nothing about it.
      if (block.number > height) continue;
      if (block.number > vouchedFor) {
        const current = await chain.unanimous((client) => blockHash(client, block.number), String);
        if (current === null) continue;
        if (current === block.hash) vouchedFor = block.number;
      }
      if (block.number > vouchedFor) standings.set(hash, { kind: 'vanished' });
      else standings.set(hash, { kind: isDeep(block.number) ? 'final' : 'standing', block });
    }
    for (const { hash } of transactions.filter(({ block }) => block === null)) {
      const receipt = await chain.receipt(hash as `0x${string}`);
      if (!receipt) continue;
      const block = { number: receipt.blockNumber, hash: receipt.blockHash };
      standings.set(hash, { kind: 'standing', block });
    }
    condition.end(network);
  } catch (error) {
    condition.report(
      'warn',
      { ...network, error: describeError(error) },
      'settlements cannot be held against the chain',
    );
  }
  return standings;
}

function newestFirst(transactions: readonly SettledTransaction[]) {
  return transactions
    .flatMap(({ hash, block }) => (block ? [{ hash, block }] : []))
    .sort((one, other) => Number(other.block.number - one.block.number));
}

/** @returns null when the node has no such block */
async function blockHash(client: PublicClient, blockNumber: bigint): Promise<string | null> {
  try {
    return (await client.getBlock({ blockNumber })).hash;
  } catch (error) {
    if (error instanceof BlockNotFoundError) return null;
    throw error;
  }
}
