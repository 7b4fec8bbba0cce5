import { numberToHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expectLogged } from '../support/logged';
import { heldTimings } from '../support/timings';
import { expect, test } from './fixtures';
import {
  buy,
  callContract,
  channelClient,
  channelOf,
  channelSettings,
  depositArguments,
  depositNonce,
  send,
  signDeposit,
  signTotal,
  startChannelRig,
} from './rig/channels';
import { callsOf, untilState } from './rig/found';
import { blockNumber, mine, mineAt, onBase, pendingCount, reorganize, stopMining } from './rig/own-chain';
import { ask, persist } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { cancellationOf, isTransaction, transact } from './rig/strangers';
import { until } from './rig/waiting';

// Deposits into channels, and what chains and other parties do to them.

let rig: Rig;
test.beforeAll(async () => {
  rig = await startChannelRig({ hasOwnBase: true });
});
test.afterAll(() => rig.close());

test('a deposit that its payer can no longer afford is refused, and delivers nothing', async () => {
  const payer = await rig.newEvmPayer();
  const deposit = await signDeposit(rig, payer);
  await rig.drain(payer);
  const { status, body } = await ask(deposit);
  expect([status, body.error]).toEqual([402, 'invalid_exact_evm_insufficient_balance']);
  expect(await callsOf(rig, payer.address)).toEqual([]);
});

test('a deposit whose money is spent while it is under way buys nothing', async () => {
  const payer = await rig.newEvmPayer();
  const deposit = await signDeposit(rig, payer);
  const held = rig.base.hold('eth_sendRawTransaction', 'before');
  const answer = ask(deposit);
  await held.reached;
  await rig.drain(payer);
  held.release();
  expect((await answer).status).toBe(402);
  expect(await callsOf(rig, payer.address)).toMatchObject([{ state: 'refused' }]);
  expect(await channelOf(rig, payer)).toMatchObject({ balance: 0, charged: 0 });
});

test('a deposit that is sent many times at once is made once, and buys one call', async () => {
  const payer = await rig.newEvmPayer();
  const deposit = await signDeposit(rig, payer);
  const other = { ...(await signDeposit(rig, payer)), init: deposit.init };
  const answers = await Promise.all([deposit, deposit, deposit, other].map((request) => ask(request)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(await channelOf(rig, payer)).toMatchObject({ balance: 1_000_000, charged: 5_000 });
});

test('a second deposit with another salt is not made while the first is under way', async () => {
  await rig.restart({}, heldTimings);
  const payer = await rig.newEvmPayer();
  const [one, two] = [await signDeposit(rig, payer), await signDeposit(rig, payer)];
  const held = rig.base.hold('eth_sendRawTransaction', 'before');
  const first = ask(one);
  await held.reached;
  const second = ask(two);
  await expect(second).resolves.toMatchObject({ status: 503 });
  held.release();
  expect((await first).status).toBe(200);
  expect(await channelOf(rig, payer)).toMatchObject({ balance: 1_000_000, charged: 5_000 });
  // The client reads the state of its channel, and continues.
  await buy(rig, channelClient(rig, payer).fetch);
  expect(await channelOf(rig, payer)).toMatchObject({ balance: 1_000_000, charged: 10_000 });
  await rig.restart();
});

test('a deposit that a stranger submits first is in the channel, and the client goes on', async () => {
  const payer = await rig.newEvmPayer();
  const deposit = await signDeposit(rig, payer);
  const stranger = privateKeyToAccount(generatePrivateKey());
  await callContract(rig, stranger, 'deposit', depositArguments(deposit));
  const { status, body } = await ask(deposit);
  expect([status, body.error]).toEqual([402, 'invalid_batch_settlement_evm_cumulative_amount_mismatch']);
  await buy(rig, channelClient(rig, payer).fetch);
  expect(await channelOf(rig, payer)).toMatchObject({ balance: 1_000_000, charged: 5_000 });
});

test('a call at a server without a key, whose node does not have the block of its deposit yet, is charged when it has', async () => {
  const { BATCH_AUTHORIZER_KEY = '' } = rig.serverEnv;
  const settings = { ...channelSettings(), BATCH_AUTHORIZER_KEY, SETTLEMENT_KEYS_EVM: '' };
  const second = await startRig({ beside: rig, networks: ['base'], settings });
  try {
    await second.start();
    const payer = await rig.newEvmPayer();
    const deposit = await signDeposit(second, payer);
    const height = numberToHex(await blockNumber(rig));
    const behind = second.base.on('eth_blockNumber', async () => ({ result: height }));
    const answer = persist(deposit);
    await expectLogged(second.server(), 'a deposit is not known to the ledger yet');
    behind.remove();
    expect((await answer).status).toBe(200);
    expect(await channelOf(rig, payer)).toMatchObject({ balance: 1_000_000, charged: 5_000 });
  } finally {
    await second.close();
  }
});

test('a call whose deposit is in a block is charged once its chain is above the block in which its channel was last read', async () => {
  const payer = await rig.newEvmPayer();
  const deposit = await signDeposit(rig, payer);
  const held = rig.base.hold('eth_sendRawTransaction', 'before', { params: isTransaction });
  const answer = persist(deposit);
  await held.reached;
  // The state of a channel that was read in a block which a reorganization removed.
  const height = (await blockNumber(rig)) + 100;
  await rig.query("UPDATE channel SET read_at = 'epoch', read_at_block = $2 WHERE payer = $1", [
    payer.address,
    height,
  ]);
  held.release();
  await expectLogged(rig.server(), 'a deposit is not known to the ledger yet');
  await mine(rig, 101);
  expect((await answer).status).toBe(200);
  expect(await channelOf(rig, payer)).toMatchObject({ balance: 1_000_000, charged: 5_000 });
});

test('a channel whose deposit is removed refuses calls until the deposit is made again', async () => {
  const payer = await rig.newEvmPayer();
  const deposit = await signDeposit(rig, payer);
  const before = await blockNumber(rig);
  expect((await ask(deposit)).status).toBe(200);
  const held = rig.base.hold('eth_sendRawTransaction', 'before', { params: isTransaction });
  await reorganize(rig, before);
  await held.reached;
  const next = await signTotal(rig, payer, { total: 10_000n });
  // A client that got a 402 would deposit a second time.
  await expect(send(next)).resolves.toMatchObject({
    status: 503,
    body: { error: { code: 'service_unavailable', retry: 'later' } },
  });
  expect(await channelOf(rig, payer)).toMatchObject({ balance: 0, charged: 5_000 });
  held.release();
  await until('it sells again', async () => (await send(next)).status === 200);
  expect(await channelOf(rig, payer)).toMatchObject({ balance: 1_000_000, charged: 10_000 });
  expect(await rig.audit()).toEqual([]);
});

test('a call whose deposit is removed and can never be made again stays paid, and its channel takes what is deposited next', async () => {
  const payer = await rig.newEvmPayer();
  const deposit = await signDeposit(rig, payer);
  const before = await blockNumber(rig);
  const first = await ask(deposit);
  expect(first.status).toBe(200);
  const held = rig.base.hold('eth_sendRawTransaction', 'before', { params: isTransaction });
  await reorganize(rig, before);
  await held.reached;
  await transact(rig, payer, await cancellationOf(payer, depositNonce(deposit)));
  held.release();
  await untilState(rig, payer.address, 'delivered', 60_000);
  expect(await channelOf(rig, payer)).toMatchObject({ balance: 0, charged: 5_000 });
  expect((await persist(deposit)).body).toEqual(first.body);
  const { id } = await channelOf(rig, payer);
  expect(await rig.audit()).toEqual([expect.stringContaining(`a channel holds what was spent of it (${id}`)]);
  await buy(rig, channelClient(rig, payer).fetch);
  expect(await channelOf(rig, payer)).toMatchObject({ balance: 1_000_000, charged: 10_000 });
  expect(await rig.audit()).toEqual([]);
});

test('a deposit into a channel that lands although it was replaced is missed when its block goes', async () => {
  const payer = await rig.newEvmPayer();
  const since = new Date();
  const variants = () =>
    rig.query<{ hash: string; raw: Buffer }>(
      'SELECT hash, raw FROM settlement_transaction WHERE created_at > $1 ORDER BY created_at',
      [since],
    );
  const deposit = await signDeposit(rig, payer);
  await stopMining(rig);
  const answer = persist(deposit);
  await until('a waiting transaction', async () => (await pendingCount(rig)) === 1);
  await mineAt(rig, 10n ** 10n);
  await until('a replacement', async () => (await variants()).length === 2);
  const broadcasts = rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
  const [first, replacement] = await variants();
  await onBase(rig, 'anvil_dropTransaction', replacement?.hash);
  const raw = first?.raw ?? Buffer.of();
  await mineAt(rig, 10n ** 9n);
  const before = await blockNumber(rig);
  await onBase(rig, 'eth_sendRawTransaction', `0x${raw.toString('hex')}`);
  await mineAt(rig, 10n ** 9n);
  expect((await answer).status).toBe(200);
  await untilState(rig, payer.address, 'delivered');
  await reorganize(rig, before);
  await untilState(rig, payer.address, 'unknown');
  expect((await send(await signTotal(rig, payer, { total: 10_000n }))).status).toBe(503);
  broadcasts.remove();
  await onBase(rig, 'evm_setAutomine', true);
  await untilState(rig, payer.address, 'delivered', 60_000);
  expect((await send(await signTotal(rig, payer, { total: 10_000n }))).status).toBe(200);
});
