import { heldIntervalSeconds } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { test as recoveryTest } from '../fixtures';
import { type Rig, startRig } from './rig';

/** A rig on a base chain of the test's own. The test itself makes, holds back and removes blocks. */
export const test = recoveryTest.extend<{ rig: Rig }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  rig: async ({}, use) => {
    const rig = await startRig({ hasOwnBase: true });
    await use(rig);
    await rig.close();
  },
});

export function onBase<T = unknown>(rig: Rig, method: string, ...params: unknown[]): Promise<T> {
  return rpcCall(rig.chainUrl('base'), method, params) as Promise<T>;
}

export async function stopMining(rig: Rig): Promise<void> {
  await onBase(rig, 'evm_setIntervalMining', heldIntervalSeconds);
}

export async function mine(rig: Rig, blocks = 1): Promise<void> {
  await onBase(rig, 'anvil_mine', `0x${blocks.toString(16)}`);
}

/** Mines a block with this base fee, in wei. Transactions that offer less stay in the pool. */
export async function mineAt(rig: Rig, baseFee: bigint): Promise<void> {
  await onBase(rig, 'anvil_setNextBlockBaseFeePerGas', `0x${baseFee.toString(16)}`);
  await mine(rig);
}

/** How many transactions wait for a block. */
export async function pendingCount(rig: Rig): Promise<number> {
  const { pending } = await onBase<{ pending: string }>(rig, 'txpool_status');
  return Number(pending);
}

export async function blockNumber(rig: Rig): Promise<number> {
  return Number(await onBase(rig, 'eth_blockNumber'));
}

/** Removes every block above this height, including one mined meanwhile. Their transactions do not return to the pool. */
async function rollBackTo(rig: Rig, height: number): Promise<void> {
  for (;;) {
    const depth = (await blockNumber(rig)) - height;
    if (depth <= 0) return;
    await onBase(rig, 'anvil_rollback', depth);
  }
}

/** Replaces every block above this height with a larger number of empty ones. */
export async function reorganize(rig: Rig, height: number): Promise<void> {
  const removed = (await blockNumber(rig)) - height;
  await rollBackTo(rig, height);
  await mine(rig, removed + 2);
}
