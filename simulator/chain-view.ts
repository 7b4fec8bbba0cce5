import type { Block } from '@/tests/simulation/evm/blocks';
import type { SimulatedChain } from '@/tests/simulation/evm/chain';
import { short } from './observer';

/** A block as the page shows it. */
export interface ChainBlock {
  readonly number: number;
  /** The beginnings of the hashes of its transactions. */
  readonly transactions: readonly string[];
  readonly status: 'latest' | 'final' | 'replaced';
}

const newest = 4;

/** The newest blocks, and all that have or had a transaction; the newest first, and those that were replaced after their successors. */
export function blocksOf(chain: SimulatedChain): ChainBlock[] {
  const finalized = chain.tagged('finalized').number;
  const { head } = chain;
  const shown: ChainBlock[] = chain.blocks
    .removed()
    .filter(({ transactions }) => transactions.length > 0)
    .map((block) => toRow(block, 'replaced'));
  for (let block: Block | null = head; block; block = block.parent)
    if (block.transactions.length > 0 || head.number - block.number < newest)
      shown.push(toRow(block, block.number <= finalized ? 'final' : 'latest'));
  return shown.sort(
    (one, other) =>
      other.number - one.number || Number(one.status === 'replaced') - Number(other.status === 'replaced'),
  );
}

function toRow({ number, transactions }: Block, status: ChainBlock['status']): ChainBlock {
  return { number, transactions: transactions.map(({ transaction }) => short(transaction.hash)), status };
}
