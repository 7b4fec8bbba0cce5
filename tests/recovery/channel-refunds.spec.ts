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
  configOf,
  depositArguments,
  send,
  signDeposit,
  signRefund,
  signTotal,
  startChannelRig,
} from './rig/channels';
import { onBase } from './rig/own-chain';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

// Refunds of the unspent rest of a channel. Calls cost 5,000, and deposits are a dollar.

const dollar = 1_000_000;
const mismatch = 'invalid_batch_settlement_evm_cumulative_amount_mismatch';

let rig: Rig;
test.beforeAll(async () => {
  rig = await startChannelRig({ timings: collectingTimings, hasOwnBase: true });
});
test.afterAll(() => rig.close());

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

test('a node that has the logs of a block later than its state does not keep the transaction out of the answer', async () => {
  const { payer } = await newBuyer(1);
  const { id } = await channelOf(rig, payer);
  const isOfChannel = (params: readonly unknown[]) => JSON.stringify(params).includes(id);
  const late = rig.base.on('eth_getLogs', async () => ({ result: [] }), { params: isOfChannel, times: 2 });
  const { status, body } = await send(await signRefund(rig, payer, { total: 5_000 }));
  expect([status, body.amount, late.hits]).toEqual([200, '0.995', 2]);
  expect(body.transaction).toMatch(/^0x[0-9a-f]{64}$/);
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
