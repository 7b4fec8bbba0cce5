import type { PrivateKeyAccount } from 'viem/accounts';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { readUsdcBalances } from '@/local/evm/funding';
import { expectLogged } from '../support/logged';
import { network } from '../support/stack';
import { collectingTimings } from '../support/timings';
import { expect, test } from './fixtures';
import {
  buy,
  callContract,
  changed,
  channelClient,
  channelOf,
  channelSettings,
  configOf,
  depositArguments,
  send,
  signDeposit,
  signRefund,
  signTotal,
  startChannelRig,
} from './rig/channels';
import { mine, onBase } from './rig/own-chain';
import { persist } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';

// Refunds of the unspent rest of a channel. Calls cost 5,000, and deposits are a dollar.

const dollar = 1_000_000;
const mismatch = 'invalid_batch_settlement_evm_cumulative_amount_mismatch';

let rig: Rig;
test.beforeAll(async () => {
  rig = await startChannelRig({ timings: collectingTimings, hasOwnBase: true });
});
test.afterAll(() => rig.close());

const withChannels = (changed: Partial<typeof collectingTimings.channels>) => ({
  ...collectingTimings,
  channels: { ...collectingTimings.channels, ...changed },
});

const refundUrl = () => `${rig.apiUrl}/v1/channels/refund`;

async function newBuyer(calls: number) {
  const payer = await rig.newEvmPayer();
  const client = channelClient(rig, payer);
  await buy(rig, client.fetch, calls);
  return { payer, ...client };
}

async function walletOf({ address }: PrivateKeyAccount): Promise<number> {
  return Number((await readUsdcBalances(rig.chainUrl('base'), network('base').usdc, [address]))[0]);
}

async function refundsOf(payer: PrivateKeyAccount): Promise<readonly { amount: number }[]> {
  return rig.query(
    `SELECT amount_atomic::int AS amount FROM channel_event JOIN channel ON channel.id = channel_id
     WHERE payer = $1 AND name = 'Refunded'`,
    [payer.address],
  );
}

test('the official client gets back what it has not spent, and what it has spent is claimed in the same transaction', async () => {
  // Too little to be claimed for any other reason.
  const { payer, scheme, storage, fetch } = await newBuyer(1);
  const before = await walletOf(payer);
  const receipt = await scheme.refund(refundUrl());
  expect(receipt).toMatchObject({ success: true, amount: '995000', network: 'eip155:8453' });
  expect(receipt.transaction).toMatch(/^0x[0-9a-f]{64}$/);
  expect(await walletOf(payer)).toBe(before + dollar - 5_000);
  await until('the events', async () => (await refundsOf(payer)).length === 1);
  const { id, ...figures } = await channelOf(rig, payer);
  expect(figures).toMatchObject({ charged: 5_000, claimed: 5_000, balance: 5_000 });
  const events = await rig.query(
    'SELECT DISTINCT transaction_hash FROM channel_event WHERE channel_id = $1 AND name = ANY ($2)',
    [id, ['Claimed', 'Refunded']],
  );
  expect(events).toEqual([{ transaction_hash: receipt.transaction }]);
  expect(await storage.get(id)).toBeUndefined();
  // The channel can be used again after another deposit.
  await buy(rig, fetch);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 10_000, balance: 5_000 + dollar });
  expect(await rig.audit()).toEqual([]);
});

test('claims and refunds made while the events of the contract were unreadable are booked afterwards', async () => {
  const own = await startRig({
    networks: ['base'],
    timings: collectingTimings,
    baseRpcUrl: rig.chainUrl('base'),
    settings: channelSettings(),
  });
  try {
    own.base.on('eth_getLogs', async () => ({ fault: 'close' }));
    await own.start();
    const payer = await own.newEvmPayer();
    expect((await persist(await signDeposit(own, payer))).status).toBe(200);
    const refund = await signRefund(own, payer, { total: 5_000 });
    await until('the refund', async () => (await send(refund)).status === 200);
    // Makes its block final.
    await mine(own, 4);
    own.clearWays();
    const events = () =>
      own.query("SELECT name FROM channel_event WHERE name IN ('Claimed', 'Refunded') ORDER BY log_index");
    await until('the events', async () => (await events()).length > 0);
    expect(await events()).toEqual([{ name: 'Claimed' }, { name: 'Refunded' }]);
    expect(await own.audit()).toEqual([]);
  } finally {
    await own.close();
  }
});

test('a part that is refunded cannot be spent, and the rest can', async () => {
  const { payer, scheme, fetch } = await newBuyer(1);
  await scheme.refund(refundUrl(), { amount: '990000' });
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 5_000, balance: 10_000 });
  const second = await signTotal(rig, payer, { total: 10_000n });
  expect((await send(second)).status).toBe(200);
  const third = await send(await signTotal(rig, payer, { total: 15_000n }));
  expect([third.status, third.body.error]).toEqual([402, mismatch]);
  // The official client tops the channel up.
  await buy(rig, fetch);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 15_000 });
});

test('a request that is sent often, at once and later, is refunded once, with one answer', async () => {
  const { payer } = await newBuyer(1);
  const before = await walletOf(payer);
  const request = await signRefund(rig, payer, { total: 5_000 });
  const answers = await Promise.all(Array.from({ length: 5 }, () => send(request)));
  answers.push(await send(request));
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body).toEqual(answers[0]?.body);
  }
  await until('the event', async () => (await refundsOf(payer)).length > 0);
  expect(await refundsOf(payer)).toEqual([{ amount: dollar - 5_000 }]);
  expect(await walletOf(payer)).toBe(before + dollar - 5_000);
});

test('calls during a refund are delivered and claimed, or refused and free', async () => {
  const { payer } = await newBuyer(1);
  const before = await walletOf(payer);
  const [refund, call] = await Promise.all([
    signRefund(rig, payer, { total: 5_000 }),
    signTotal(rig, payer, { total: 10_000n }),
  ]);
  const [refunded, called] = await Promise.all([send(refund), send(call)]);
  // The balance does not suffice for whichever comes second.
  expect([refunded.status, called.status].toSorted()).toEqual([200, 402]);
  const spent = called.status === 200 ? 10_000 : 5_000;
  expect(await channelOf(rig, payer)).toMatchObject({ charged: spent });
  if (refunded.status === 200) expect(await walletOf(payer)).toBe(before + dollar - spent);
  expect(await rig.audit()).toEqual([]);
});

test("nobody is refunded for a stranger's channel, an old voucher, or too much (V20)", async () => {
  const { payer } = await newBuyer(2);
  const stranger = privateKeyToAccount(generatePrivateKey());
  for (const [refund, reason] of [
    [{ total: 10_000, signer: stranger }, 'invalid_batch_settlement_evm_voucher_signature'],
    [{ total: 5_000 }, mismatch],
    [{ total: 15_000 }, mismatch],
    [{ total: 10_000, amount: 0 }, 'invalid_batch_settlement_evm_refund_amount_invalid'],
    [{ total: 10_000, amount: 99_999 }, 'invalid_batch_settlement_evm_refund_amount_invalid'],
    [{ total: 10_000, amount: dollar }, 'invalid_batch_settlement_evm_refund_amount_invalid'],
  ] as const) {
    const { status, body, headers } = await send(await signRefund(rig, payer, refund));
    expect([status, body.error]).toEqual([402, reason]);
    expect(headers.get('PAYMENT-RESPONSE')).toBeNull();
  }
  // A wallet without a channel.
  const { status, body } = await send(await signRefund(rig, stranger, { total: 0 }));
  expect([status, body.error]).toEqual([402, 'invalid_batch_settlement_evm_channel_not_found']);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 10_000, balance: dollar });
});

test('a client that has lost count is told where its channel stands, and is refunded then', async () => {
  const { payer } = await newBuyer(2);
  const before = await walletOf(payer);
  const { scheme } = channelClient(rig, payer);
  await scheme.refund(refundUrl());
  expect(await walletOf(payer)).toBe(before + dollar - 10_000);
});

test('a wallet gets one refund a day, of whichever channel', async () => {
  const { payer, scheme, fetch } = await newBuyer(1);
  await scheme.refund(refundUrl());
  await buy(rig, fetch);
  const again = await send(await signRefund(rig, payer, { total: 10_000 }));
  expect([again.status, again.body.error.code]).toEqual([429, 'rate_limited']);
  expect(Number(again.headers.get('Retry-After'))).toBeGreaterThan(86_000);
  await until('the event', async () => (await refundsOf(payer)).length > 0);
  expect(await refundsOf(payer)).toHaveLength(1);
  await rig.query(
    `UPDATE channel SET refund_asked_at = refund_asked_at - interval '1 day' WHERE payer = $1`,
    [payer.address],
  );
  await scheme.refund(refundUrl());
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 10_000, balance: 10_000 });
});

test('a client network gets few refunds in an hour that their channels have not paid for', async () => {
  // Less than one in six of the usual limits, which leaves one such refund.
  await rig.restart({ RATE_LIMIT_FACTOR: '0.16' });
  const { payer: customer } = await newBuyer(1);
  const newDepositor = async () => {
    const payer = await rig.newEvmPayer();
    await callContract(rig, payer, 'deposit', depositArguments(await signDeposit(rig, payer)));
    return signRefund(rig, payer, { total: 0 });
  };
  const [first, second] = [await newDepositor(), await newDepositor()];
  expect((await send(first)).status).toBe(200);
  const refused = await send(second);
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(600);
  // The same request is answered, and a channel that has paid is refunded.
  expect((await send(first)).status).toBe(200);
  expect((await send(await signRefund(rig, customer, { total: 5_000 }))).status).toBe(200);
  await rig.restart();
  expect((await send(second)).status).toBe(200);
});

test('a stranger who reads a claim cannot close the channel that its payer uses', async () => {
  await rig.restart({}, withChannels({ refundUnusedAfterMs: 600_000 }));
  const { payer, fetch, scheme } = await newBuyer(2);
  await until('the claim', async () => (await channelOf(rig, payer)).claimed === 10_000);
  const seen = await signRefund(rig, payer, { total: 10_000 });
  const refused = await send(seen);
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(600);
  // The payer goes on, and gets the rest back with a voucher that nobody else knows.
  await buy(rig, fetch);
  expect(await scheme.refund(refundUrl())).toMatchObject({ success: true, amount: '985000' });
  await rig.restart();
});

test('a withdrawal that has begun does not hinder a refund, and leaves the payer no more than there was', async () => {
  const { payer, scheme } = await newBuyer(1);
  const before = await walletOf(payer);
  await callContract(rig, payer, 'initiateWithdraw', [await configOf(rig, payer), 500_000n]);
  await scheme.refund(refundUrl());
  expect(await walletOf(payer)).toBe(before + dollar - 5_000);
  await until('the claim', async () => (await channelOf(rig, payer)).withdrawing === 0);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 5_000, claimed: 5_000, balance: 5_000 });
});

for (const at of ['before', 'after'] as const) {
  test(`a server that is killed ${at} it broadcasts a refund makes it once, and the same request is answered then`, async () => {
    const { payer } = await newBuyer(1);
    const before = await walletOf(payer);
    const request = await signRefund(rig, payer, { total: 5_000 });
    const held = rig.base.hold('eth_sendRawTransaction', at);
    const lost = send(request).catch(() => null);
    await held.reached;
    await rig.kill();
    held.abandon();
    await lost;
    await rig.passTakeoverTime();
    await rig.start();
    await until('the refund', async () => (await walletOf(payer)) === before + dollar - 5_000);
    const answer = await send(request);
    expect([answer.status, answer.body.amount]).toEqual([200, '0.995']);
    await until('the event', async () => (await refundsOf(payer)).length > 0);
    expect(await refundsOf(payer)).toEqual([{ amount: dollar - 5_000 }]);
    expect(await rig.audit()).toEqual([]);
  });
}

test('a refund that the contract refuses is reported, stays promised, and is made later', async () => {
  // The token is broken for a while, but the network stays offered.
  const upkeep = { ...collectingTimings.upkeep, checkNetworksMs: 3_600_000 };
  await rig.restart({}, { ...collectingTimings, upkeep });
  const { payer } = await newBuyer(1);
  const { usdc } = network('base');
  const request = await signRefund(rig, payer, { total: 5_000 });
  const code = await onBase(rig, 'eth_getCode', usdc, 'latest');
  // Every call of the token is reverted.
  await onBase(rig, 'anvil_setCode', usdc, '0xfe');
  try {
    const open = await send(request);
    expect([open.status, open.body.error.code]).toEqual([503, 'service_unavailable']);
    await expectLogged(rig.server(), 'a refund of a payment channel was not sent');
    const spent = await send(await signTotal(rig, payer, { total: 10_000n }));
    expect([spent.status, spent.body.error]).toEqual([402, mismatch]);
    expect((await rig.tuppence('channels', '--limit', '1000')).output).toContain('0.995 is to be refunded');
  } finally {
    await onBase(rig, 'anvil_setCode', usdc, code);
  }
  await until('the refund', async () => (await send(request)).status === 200);
  await rig.restart();
});

test('refunds and payments do not take the place of each other', async () => {
  const { payer } = await newBuyer(1);
  const probe = await fetch(refundUrl());
  expect(probe.status).toBe(402);
  const voucher = await signTotal(rig, payer, {
    total: 10_000n,
    url: refundUrl(),
    method: 'GET',
    body: null,
  });
  const paid = await send(voucher);
  expect([paid.status, paid.body.error]).toEqual([402, 'only_refunds_at_this_url']);
  const upload = await signTotal(rig, payer, { total: 5_000n });
  const asked = await send(
    changed(upload, ({ payload }) => {
      payload.type = 'refund';
    }),
  );
  expect([asked.status, asked.body.error]).toEqual([402, 'refund_at_wrong_url']);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 5_000, balance: dollar });
});

test('the balance of a channel that is idle for a month is paid back, and its client goes on', async () => {
  const [idle, leaving, little, younger] = [
    await newBuyer(1),
    await newBuyer(1),
    await newBuyer(1),
    await newBuyer(1),
  ];
  await callContract(rig, leaving.payer, 'initiateWithdraw', [await configOf(rig, leaving.payer), 995_000n]);
  await until('the withdrawal', async () => (await channelOf(rig, leaving.payer)).withdrawing > 0);
  await little.scheme.refund(refundUrl(), { amount: '900000' });
  await until('the refund', async () => (await refundsOf(little.payer)).length > 0);
  const before = await walletOf(idle.payer);
  const age = (buyer: typeof idle, days: number) =>
    rig.query(
      `UPDATE channel SET used_at = used_at - $2 * interval '1 day', refund_asked_at = refund_asked_at - $2 * interval '1 day'
       WHERE payer = $1`,
      [buyer.payer.address, days],
    );
  for (const buyer of [leaving, little, idle]) await age(buyer, 31);
  await age(younger, 29);
  await until('the refund', async () => (await walletOf(idle.payer)) > before);
  expect(await walletOf(idle.payer)).toBe(before + dollar - 5_000);
  await until('the event', async () => (await refundsOf(idle.payer)).length > 0);
  await until('the claim', async () => (await channelOf(rig, idle.payer)).claimed === 5_000);
  await buy(rig, idle.fetch);
  expect(await channelOf(rig, idle.payer)).toMatchObject({ charged: 10_000, balance: dollar + 5_000 });
  const refunds = [leaving, little, younger, idle].map(({ payer }) => refundsOf(payer));
  expect((await Promise.all(refunds)).map((made) => made.length)).toEqual([0, 1, 0, 1]);
  expect(await rig.audit()).toEqual([]);
});
