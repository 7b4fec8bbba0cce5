import type { PrivateKeyAccount } from 'viem/accounts';
import { readUsdcBalances } from '@/local/evm/funding';
import { network } from '../support/stack';
import { collectingTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { buy, channelClient, channelOf, send, signRefund, startChannelRig } from './rig/channels';
import { mine, onBase, pendingCount, stopMining } from './rig/own-chain';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

// Blocks with refunds and claims that a reorganization removes.

const deposited = 1_000_000;
const price = 5_000;

let rig: Rig;
test.beforeAll(async () => {
  rig = await startChannelRig({ timings: collectingTimings, hasOwnBase: true });
});
test.afterAll(() => rig.close());

async function walletOf({ address }: PrivateKeyAccount): Promise<number> {
  return Number((await readUsdcBalances(rig.chainUrl('base'), network('base').usdc, [address]))[0]);
}

test('a refund whose block is removed is open again, and is made again', async () => {
  const payer = await rig.newEvmPayer();
  await buy(rig, channelClient(rig, payer).fetch);
  const request = await signRefund(rig, payer, { total: price });
  const before = await walletOf(payer);
  const snapshot = await onBase<string>(rig, 'evm_snapshot');
  expect((await send(request)).status).toBe(200);
  expect(await walletOf(payer)).toBe(before + deposited - price);
  await onBase(rig, 'evm_revert', snapshot);
  expect(await walletOf(payer)).toBe(before);
  await until('the refund', async () => (await walletOf(payer)) > before);
  expect(await walletOf(payer)).toBe(before + deposited - price);
});

test('a claim whose block is removed is made again', async () => {
  const payer = await rig.newEvmPayer();
  const { fetch } = channelClient(rig, payer);
  await buy(rig, fetch);
  // After these blocks, only the claim can lead the service to the channel.
  await mine(rig, 40);
  // Otherwise the block of the claim could become final.
  await stopMining(rig);
  const snapshot = await onBase<string>(rig, 'evm_snapshot');
  await buy(rig, fetch);
  await until('a transaction', async () => (await pendingCount(rig)) === 1);
  await mine(rig);
  await until('the claim', async () => (await channelOf(rig, payer)).claimed === 2 * price);
  await onBase(rig, 'evm_revert', snapshot);
  const { id } = await channelOf(rig, payer);
  const claims = () =>
    rig.query(
      `SELECT amount_atomic::int AS amount FROM channel_event WHERE channel_id = $1 AND name = 'Claimed'`,
      [id],
    );
  await until('the event of a final claim', async () => {
    await mine(rig);
    return (await claims()).length > 0;
  });
  expect(await claims()).toEqual([{ amount: 2 * price }]);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 2 * price, claimed: 2 * price });
  expect(await rig.audit()).toEqual([]);
});
