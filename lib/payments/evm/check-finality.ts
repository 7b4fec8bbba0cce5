import { BlockNotFoundError, type PublicClient } from 'viem';
import type { FinalityStatus, SettledTransaction } from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { EvmChain } from './chain';

/**
 * Checks whether settled transactions are still in the chain. A block that is still there proves every block below it,
 * so the newest is checked first, and usually one request is enough. All RPCs that respond must agree.
 */
export async function checkEvmFinality(
  app: Platform,
  chain: EvmChain,
  transactions: readonly SettledTransaction[],
): Promise<ReadonlyMap<string, FinalityStatus>> {
  const statuses = new Map<string, FinalityStatus>();
  if (transactions.length === 0) return statuses;
  const network = { network: chain.offer.network.name };
  const condition = app.problems.get(`reviews on ${network.network}`);
  try {
    const height = await chain.client.getBlockNumber({ cacheTime: 0 });
    const isDeep = (block: bigint) => height >= block + BigInt(chain.offer.finalityBlocks);
    let vouchedFor = -1n;
    for (const { hash, block } of newestFirst(transactions)) {
      // A node that lags behind cannot know the block.
      if (block.number > height) continue;
      if (block.number > vouchedFor) {
        const current = await chain.unanimous((client) => blockHash(client, block.number), String);
        if (current === null) continue;
        if (current === block.hash) vouchedFor = block.number;
      }
      if (block.number > vouchedFor) statuses.set(hash, { kind: 'vanished' });
      else statuses.set(hash, { kind: isDeep(block.number) ? 'final' : 'included', block });
    }
    for (const { hash } of transactions.filter(({ block }) => block === null)) {
      const receipt = await chain.receipt(hash as `0x${string}`);
      if (!receipt) continue;
      const block = { number: receipt.blockNumber, hash: receipt.blockHash };
      statuses.set(hash, { kind: 'included', block });
    }
    condition.end(network);
  } catch (error) {
    condition.report(
      'warn',
      { ...network, error: describeError(error) },
      'settlements cannot be held against the chain',
    );
  }
  return statuses;
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
