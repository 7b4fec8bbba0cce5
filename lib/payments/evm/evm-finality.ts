import { numberToHex, type PublicClient } from 'viem';
import { z } from 'zod';
import type { Block, FinalityStatus, SettledTransaction } from '@/lib/payments/outcome';
import { describeError } from '@/lib/platform/log';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { EvmChain } from './evm-chain';

/** How many new blocks, and how many deep ones, are compared in one check, because nodes limit batches. */
const comparedMax = 40;

/**
 * A block is recent for the first 1/`recentShare` of its time to finality, about a minute. Nodes that share one address can
 * be on different forks for a few blocks, so their answers in one check may come from different chains.
 */
const recentShare = 30;

/** The hash of the chain's block at each height that was asked for; null where the RPCs disagree or have none. */
type Hashes = ReadonlyMap<bigint, string | null>;

interface Comparison {
  readonly hashes: Hashes;
  /** The blocks that were compared earlier, if the highest of them is still in the chain. */
  readonly proved: ReadonlySet<string>;
}

/**
 * Checks whether settled transactions are still in the chain. A block in the chain proves the blocks below it, but not that
 * the hash recorded for a lower height is the hash of one of them. So each recorded block is compared directly, once when it
 * is new and once when it is no longer recent. In between, the highest compared block proves the others. All RPCs that
 * respond must agree.
 */
export class EvmFinality {
  readonly #app: ChainPlatform;
  readonly #chain: EvmChain;
  /**
   * Recorded blocks that are in the same chain, and whether each was recent when it was compared. Replaced as a whole,
   * because checks may overlap.
   */
  #compared: ReadonlyMap<string, boolean> = new Map();

  constructor(app: ChainPlatform, chain: EvmChain) {
    this.#app = app;
    this.#chain = chain;
  }

  async check(transactions: readonly SettledTransaction[]): Promise<ReadonlyMap<string, FinalityStatus>> {
    const statuses = new Map<string, FinalityStatus>();
    if (transactions.length === 0) return statuses;
    const network = { network: this.#chain.offer.network.name };
    const condition = this.#app.problems.get(`reviews on ${network.network}`);
    try {
      const height = await this.#chain.client.getBlockNumber({ cacheTime: 0 });
      // A node that lags behind cannot know higher blocks.
      const settled = transactions.flatMap(({ hash, block }) =>
        block && block.number <= height ? [{ hash, block }] : [],
      );
      const recorded = newestFirst(settled.map(({ block }) => block));
      const comparison = await this.#compare(recorded, height, this.#compared);
      for (const { hash, block } of settled) {
        const status = statusOf(block, comparison, this.#isDeep(block, height));
        if (status) statuses.set(hash, status);
      }
      for (const { hash } of transactions.filter(({ block }) => block === null)) {
        const receipt = await this.#chain.receipt(hash as `0x${string}`);
        if (!receipt) continue;
        const block = { number: receipt.blockNumber, hash: receipt.blockHash };
        statuses.set(hash, { kind: 'included', block });
      }
      condition.end(network);
    } catch (error) {
      condition.report(
        'warn',
        { ...network, error: describeError(error) },
        'settlements cannot be compared with the chain',
      );
    }
    return statuses;
  }

  /**
   * Compares the blocks that are new or no longer recent, the highest of the others, and those that are deep enough to be
   * final.
   * @param compared blocks that are in the same chain
   */
  async #compare(
    recorded: readonly Block[],
    height: bigint,
    compared: ReadonlyMap<string, boolean>,
  ): Promise<Comparison> {
    const known = recorded.filter((block) => compared.has(keyOf(block)));
    const isDue = (block: Block) => {
      const wasRecent = compared.get(keyOf(block));
      return wasRecent === undefined || (wasRecent && !this.#isRecent(block, height));
    };
    const fresh = recorded.filter(isDue).slice(0, comparedMax);
    const deep = recorded.filter((block) => this.#isDeep(block, height)).slice(-comparedMax);
    const highest = known.slice(0, 1);
    const hashes = await this.#hashesAt([...highest, ...fresh, ...deep]);
    // A reorganization: it may have removed any of the others as well.
    if (known.some((block) => isInChain(block, hashes) === false))
      return this.#compare(recorded, height, new Map());
    if (!highest.every((block) => isInChain(block, hashes))) return { hashes, proved: new Set() };
    const proved = new Set(known.map(keyOf));
    const found = fresh.filter((block) => isInChain(block, hashes));
    const earlier = [...compared].filter(([key]) => proved.has(key));
    const now = found.map((block) => [keyOf(block), this.#isRecent(block, height)] as const);
    this.#compared = new Map([...earlier, ...now]);
    return { hashes, proved };
  }

  async #hashesAt(blocks: readonly Block[]): Promise<Hashes> {
    const heights = [...new Set(blocks.map(({ number }) => number))];
    const hashes = heights.map(async (height) => {
      const hash = await this.#chain.unanimous((client) => blockHash(client, height), String);
      return [height, hash] as const;
    });
    return new Map(await Promise.all(hashes));
  }

  #isRecent(block: Block, height: bigint): boolean {
    const recentBlocks = Math.ceil(this.#chain.offer.finalityBlocks / recentShare);
    return height < block.number + BigInt(recentBlocks);
  }

  #isDeep(block: Block, height: bigint): boolean {
    return height >= block.number + BigInt(this.#chain.offer.finalityBlocks);
  }
}

/** @returns null when it is not known. Only a block that was compared just now is final. */
function statusOf(block: Block, { hashes, proved }: Comparison, isDeep: boolean): FinalityStatus | null {
  const isThere = isInChain(block, hashes);
  if (isThere === null) return proved.has(keyOf(block)) ? { kind: 'included', block } : null;
  if (!isThere) return { kind: 'vanished' };
  return { kind: isDeep ? 'final' : 'included', block };
}

/** @returns null when it is not known */
function isInChain(block: Block, hashes: Hashes): boolean | null {
  const hash = hashes.get(block.number) ?? null;
  return hash === null ? null : hash === block.hash;
}

function keyOf({ number, hash }: Block): string {
  return `${number} ${hash}`;
}

/** The same blocks, each once. */
function newestFirst(blocks: readonly Block[]): Block[] {
  const distinct = new Map(blocks.map((block) => [keyOf(block), block]));
  return [...distinct.values()].sort((one, other) => Number(other.number - one.number));
}

const blockSchema = z.object({ hash: z.string() }).nullable();

/**
 * Sends its own request to the node: viem's getBlock shares the response that an earlier check is still waiting for, which
 * may be older than the reorganization that this check is about.
 * @returns null when the node has no such block
 */
async function blockHash(client: PublicClient, blockNumber: bigint): Promise<string | null> {
  const params = [numberToHex(blockNumber), false] as const;
  const block = await client.request({ method: 'eth_getBlockByNumber', params: [...params] });
  return blockSchema.parse(block)?.hash ?? null;
}
