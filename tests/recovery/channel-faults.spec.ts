import type { PrivateKeyAccount } from 'viem/accounts';
import { readUsdcBalances } from '@/local/evm/funding';
import { network } from '../support/stack';
import { isSweep } from '../support/sweep';
import { collectingTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { buy, channelClient, channelOf, send, signRefund, startChannelRig } from './rig/channels';
import { messageFaults } from './rig/message-faults';
import { mine, onBase, pendingCount, stopMining } from './rig/own-chain';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

// A refund claims what was spent and pays back the rest, in one transaction. Each of its messages to the node is broken once.

test.setTimeout(600_000);

const deposited = 1_000_000;
const price = 5_000;

let rig: Rig;
test.beforeAll(async () => {
  rig = await startChannelRig({ timings: collectingTimings, hasOwnBase: true });
});
test.afterAll(() => rig.close());

/** The faults that run in `npm test`. All others run only in the sweep. */
const often = {
  methods: ['eth_call', 'eth_estimateGas', 'eth_sendRawTransaction'],
  action: 'loses its answer',
};
const methods = isSweep
  ? [...often.methods, 'eth_blockNumber', 'eth_getBlockByNumber', 'eth_getTransactionReceipt', 'eth_getLogs']
  : often.methods;

async function walletOf({ address }: PrivateKeyAccount): Promise<number> {
  return Number((await readUsdcBalances(rig.chainUrl('base'), network('base').usdc, [address]))[0]);
}

interface Asked {
  readonly payer: PrivateKeyAccount;
  readonly request: Awaited<ReturnType<typeof signRefund>>;
  readonly walletBefore: number;
}

/** A payer who has spent one call out of a deposit, and requests a refund of the rest. */
async function newAsker(): Promise<Asked> {
  const payer = await rig.newEvmPayer();
  await buy(rig, channelClient(rig, payer).fetch);
  return {
    payer,
    request: await signRefund(rig, payer, { total: price }),
    walletBefore: await walletOf(payer),
  };
}

/** Expects one claim and one refund, on the chain and in the ledger, however often the payer asks. */
async function expectMadeOnce({ payer, request, walletBefore }: Asked, what: string): Promise<void> {
  await until(`the refund: ${what}`, async () => {
    const { status } = await send(request).catch(() => ({ status: 0 }));
    expect([what, [0, 200, 503]]).toEqual([what, expect.arrayContaining([status])]);
    return status === 200;
  });
  expect([what, await walletOf(payer)]).toEqual([what, walletBefore + deposited - price]);
  const { id } = await channelOf(rig, payer);
  const events = () =>
    rig.query(
      `SELECT name, amount_atomic::int AS amount FROM channel_event
       WHERE channel_id = $1 AND name IN ('Claimed', 'Refunded') ORDER BY name`,
      [id],
    );
  await until(`the events: ${what}`, async () => (await events()).length > 1);
  expect([what, await events()]).toEqual([
    what,
    [
      { name: 'Claimed', amount: price },
      { name: 'Refunded', amount: deposited - price },
    ],
  ]);
}

for (const [name, action] of Object.entries(messageFaults).filter(
  ([name]) => isSweep || name === often.action,
))
  test(`a refund is made once, and what was spent is claimed once, if a message of each kind ${name}`, async () => {
    const askers = await Promise.all(methods.map(() => newAsker()));
    for (const [index, method] of methods.entries()) {
      const asked = askers[index];
      if (!asked) throw new Error('there is an asker for each method');
      const rule = rig.base.on(method, action, { times: 1 });
      await send(asked.request).catch(() => null);
      await rule.reached;
      await expectMadeOnce(asked, `${method}: ${name}`);
      rig.clearWays();
    }
    expect(await rig.audit()).toEqual([]);
  });

const kills = [
  ['eth_estimateGas', 'after'],
  ['eth_estimateGas', 'before'],
  ['eth_getTransactionReceipt', 'before'],
  ['eth_getTransactionReceipt', 'after'],
] as const;

for (const [method, at] of isSweep ? kills : kills.slice(0, 1))
  test(`a server that is killed ${at} a call of ${method} makes a refund once`, async () => {
    const asked = await newAsker();
    const held = rig.base.hold(method, at);
    const lost = send(asked.request).catch(() => null);
    await held.reached;
    await rig.kill();
    held.abandon();
    await lost;
    await rig.passTakeoverTime();
    await rig.start();
    await expectMadeOnce(asked, `killed ${at} ${method}`);
    expect(await rig.audit()).toEqual([]);
  });

test('a refund whose block is removed is open again, and is made again', async () => {
  const asked = await newAsker();
  const snapshot = await onBase<string>(rig, 'evm_snapshot');
  expect((await send(asked.request)).status).toBe(200);
  expect(await walletOf(asked.payer)).toBe(asked.walletBefore + deposited - price);
  await onBase(rig, 'evm_revert', snapshot);
  expect(await walletOf(asked.payer)).toBe(asked.walletBefore);
  await until('the refund', async () => (await walletOf(asked.payer)) > asked.walletBefore);
  expect(await walletOf(asked.payer)).toBe(asked.walletBefore + deposited - price);
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
