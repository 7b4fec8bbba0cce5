import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { EvmFinality } from '@/lib/payments/evm/evm-finality';
import { configuredOffers, isEvmOffer } from '@/lib/payments/network-offers';
import type { SettledTransaction } from '@/lib/payments/outcome';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import { type BlockNode, startBlockNode } from '../support/block-node';
import { testPlatform } from '../support/platform';
import { test as baseTest, expect } from '../support/without-browser';

/** How many blocks deep a settlement is final, and how deep it no longer counts as recent. */
const finalityBlocks = 500;
const recentBlocks = 17;

interface Chain {
  readonly node: BlockNode;
  readonly finality: EvmFinality;
}

const test = baseTest.extend<{ chain: Chain }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  chain: async ({}, use) => {
    const node = await startBlockNode();
    const app = testPlatform({ BASE_RPC_URL: node.url, FINALITY_BLOCKS: `base=${finalityBlocks}` });
    const [offer] = configuredOffers(app.settings).filter(isEvmOffer);
    if (!offer) throw new Error('Base is not configured');
    const chain = new EvmChain(app, offer, new RpcNodes(app, offer));
    await use({ node, finality: new EvmFinality(app, chain) });
    await node.close();
  },
});

/** A settlement in each of these blocks of the current chain, named after the height. */
function settledIn(node: BlockNode, ...heights: readonly number[]): SettledTransaction[] {
  return heights.map((height) => ({
    hash: `in ${height}`,
    block: { number: BigInt(height), hash: node.hashAt(height) },
  }));
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** The results of a finality check, by the height of each settlement. */
async function check(finality: EvmFinality, transactions: readonly SettledTransaction[]) {
  const statuses = await finality.check(transactions);
  return Object.fromEntries([...statuses].map(([hash, { kind }]) => [hash.replace('in ', ''), kind]));
}

test('a settlement in a new block does not prove one that a reorganization removed before it was recorded', async ({
  chain: { node, finality },
}) => {
  node.growTo(100);
  const removed = settledIn(node, 100);
  node.replace(100);
  node.growTo(101);
  const all = [...removed, ...settledIn(node, 101)];
  expect(await check(finality, all)).toEqual({ 100: 'vanished', 101: 'included' });
  node.growTo(101 + finalityBlocks);
  expect(await check(finality, all)).toEqual({ 100: 'vanished', 101: 'final' });
});

test('the same when the settlement that was removed had been checked before', async ({
  chain: { node, finality },
}) => {
  node.growTo(100);
  const settled = settledIn(node, 99, 100);
  expect(await check(finality, settled)).toEqual({ 99: 'included', 100: 'included' });
  node.replace(100);
  node.growTo(101);
  settled.push(...settledIn(node, 101));
  expect(await check(finality, settled)).toEqual({ 99: 'included', 100: 'vanished', 101: 'included' });
});

test('an answer from before a reorganization that comes only after it hides nothing', async ({
  chain: { node, finality },
}) => {
  node.growTo(100);
  const settled = settledIn(node, 100);
  const held = node.hold(100);
  const early = check(finality, settled);
  await held.reached;
  node.replace(100);
  node.growTo(101);
  settled.push(...settledIn(node, 101));
  expect(await check(finality, settled)).toEqual({ 100: 'vanished', 101: 'included' });
  held.release();
  await early;
  expect(await check(finality, settled)).toEqual({ 100: 'vanished', 101: 'included' });
});

test('after a reorganization every settlement is checked again, also those that no new block follows', async ({
  chain: { node, finality },
}) => {
  node.growTo(104 + recentBlocks);
  const settled = settledIn(node, 101, 102, 103, 104);
  await check(finality, settled);
  node.replace(103);
  expect(await check(finality, settled)).toEqual({
    101: 'included',
    102: 'included',
    103: 'vanished',
    104: 'vanished',
  });
});

test('nothing is said about a block that the node has not reached, and it proves nothing', async ({
  chain: { node, finality },
}) => {
  node.growTo(104);
  const settled = settledIn(node, 101, 104);
  await check(finality, settled);
  // For a moment the chain is shorter and has a different block 102.
  node.growTo(102);
  node.replace(102);
  settled.push(...settledIn(node, 102));
  expect(await check(finality, settled)).toEqual({ 101: 'included', 102: 'included' });
  node.growTo(104);
  expect(await check(finality, settled)).toEqual({ 101: 'included', 102: 'included', 104: 'vanished' });
});

test('each block is asked for once, once more when it is no longer recent, and then the highest alone, until they are deep enough to be final', async ({
  chain: { node, finality },
}) => {
  node.growTo(130);
  const settled = settledIn(node, ...range(101, 110));
  await check(finality, settled);
  expect(node.asked()).toEqual(range(101, 110));
  await check(finality, settled);
  expect(node.asked()).toEqual([110]);
  settled.push(...settledIn(node, 120));
  await check(finality, settled);
  expect(node.asked()).toEqual([110, 120]);
  settled.push(...settledIn(node, 125));
  await check(finality, settled);
  expect(node.asked()).toEqual([120, 125]);
  node.growTo(120 + recentBlocks - 1);
  await check(finality, settled);
  expect(node.asked()).toEqual([125]);
  node.growTo(120 + recentBlocks);
  await check(finality, settled);
  expect(node.asked()).toEqual([120, 125]);
  await check(finality, settled);
  expect(node.asked()).toEqual([125]);
  node.growTo(102 + finalityBlocks);
  expect(await check(finality, settled)).toMatchObject({ 101: 'final', 102: 'final', 103: 'included' });
  expect(node.asked()).toEqual([101, 102, 125]);
});

test('finality rechecks recent blocks, because two answers may come from different forks', async ({
  chain: { node, finality },
}) => {
  node.growTo(101);
  const settled = settledIn(node, 100, 101);
  expect(await check(finality, settled)).toEqual({ 100: 'included', 101: 'included' });
  node.replace(100, 'alone');
  expect(await check(finality, settled)).toEqual({ 100: 'included', 101: 'included' });
  node.growTo(100 + recentBlocks);
  expect(await check(finality, settled)).toEqual({ 100: 'vanished', 101: 'included' });
});

test('a settlement is final only by its own block, whatever higher blocks prove', async ({
  chain: { node, finality },
}) => {
  node.growTo(200);
  const settled = settledIn(node, 100, 200);
  expect(await check(finality, settled)).toEqual({ 100: 'included', 200: 'included' });
  // No chain can do this, but a node may answer from two forks.
  node.replace(100, 'alone');
  node.growTo(100 + finalityBlocks);
  expect(await check(finality, settled)).toEqual({ 100: 'vanished', 200: 'included' });
});

test('however many settlements are new to a process, one check asks for few, and the oldest become final', async ({
  chain: { node, finality },
}) => {
  node.growTo(300 + finalityBlocks);
  const settled = settledIn(node, ...range(201, 600));
  const checks: Record<string, string>[] = [];
  for (let count = 0; count < 12; count += 1) {
    checks.push(await check(finality, settled));
    expect(node.asked().length).toBeLessThanOrEqual(81);
  }
  expect(checks[0]).toMatchObject({ 201: 'final', 600: 'included' });
  expect(Object.keys(checks.at(-1) ?? {})).toHaveLength(400);
});
