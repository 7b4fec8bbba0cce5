import type { PrivateKeyAccount } from 'viem/accounts';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { aFile } from '../support/files';
import { loseRequest } from '../support/rpc-proxy';
import { expect, test } from './fixtures';
import { buy, changed, channelClient, channelOf, send, signTotal, startChannelRig } from './rig/channels';
import { callsOf } from './rig/found';
import type { Answer } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

// Attacks with the vouchers of a channel. Each call costs 5,000.

const price = 5_000n;
const mismatch = 'invalid_batch_settlement_evm_cumulative_amount_mismatch';

let rig: Rig;
test.beforeAll(async () => {
  rig = await startChannelRig();
});
test.afterAll(() => rig.close());

/** A payer whose channel has paid for one call out of a one-dollar deposit. */
async function newPayer(): Promise<PrivateKeyAccount> {
  const payer = await rig.newEvmPayer();
  await buy(rig, channelClient(rig, payer).fetch);
  return payer;
}

async function expectCharged(payer: PrivateKeyAccount, calls: number): Promise<void> {
  expect((await channelOf(rig, payer)).charged).toBe(calls * Number(price));
  const delivered = (await callsOf(rig, payer.address)).filter(({ state }) => state === 'delivered');
  expect(delivered).toHaveLength(calls);
}

/** Expects a corrective 402: it states the channel's total with the payer's own last voucher, and nothing is charged. */
function expectCorrected({ status, headers, body }: Answer, total: bigint): void {
  expect([status, body.error]).toEqual([402, mismatch]);
  expect(headers.get('PAYMENT-RESPONSE')).toBeNull();
  expect(body.accepts).toHaveLength(1);
  expect(body.accepts[0].extra).toMatchObject({
    channelState: { chargedCumulativeAmount: String(total) },
    voucherState: {
      signedMaxClaimable: String(total),
      signature: expect.stringMatching(/^0x[0-9a-f]{130}$/),
    },
  });
}

test('a voucher that has paid for a call pays for no other body and no other path', async () => {
  const payer = await newPayer();
  const request = await signTotal(rig, payer, { total: 2n * price });
  const first = await send(request);
  expect(first.status).toBe(200);
  const otherBody = { ...request, init: { ...request.init, body: aFile().body } };
  expectCorrected(await send(otherBody), 2n * price);
  const renewal = await signTotal(rig, payer, {
    total: 2n * price,
    url: `${rig.apiUrl}/v1/uploads/${first.body.id}/renew`,
    body: null,
  });
  expectCorrected(await send(renewal), 2n * price);
  await expectCharged(payer, 2);
});

test('an old voucher gets the answer of its own request again, and nothing else', async () => {
  const payer = await newPayer();
  const old = await signTotal(rig, payer, { total: 2n * price });
  const first = await send(old);
  expect((await send(await signTotal(rig, payer, { total: 3n * price }))).status).toBe(200);
  const again = await send(old);
  expect([again.status, again.body.id]).toEqual([200, first.body.id]);
  expect(again.headers.get('Idempotent-Replayed')).toBe('true');
  expectCorrected(await send({ ...old, init: { ...old.init, body: aFile().body } }), 3n * price);
  await expectCharged(payer, 3);
});

test('vouchers of a channel without money buy nothing, and are not kept', async () => {
  const payer = await rig.newEvmPayer();
  const empty = await send(await signTotal(rig, payer, { total: price }));
  expect([empty.status, empty.body.error]).toEqual([402, mismatch]);
  expect(empty.body.accepts[0].extra).not.toHaveProperty('voucherState');
  expect(await rig.query('SELECT FROM channel WHERE payer = $1', [payer.address])).toEqual([]);
});

test('a voucher that was in a claim is public, and needs the claim token or the key that it came with', async () => {
  const payer = await newPayer();
  const body = aFile().body;
  const request = await signTotal(rig, payer, { total: 2n * price, body });
  const first = await send(request);
  expect(first.status).toBe(200);
  await rig.query(
    'INSERT INTO published_voucher SELECT id, charged_atomic, now() FROM channel WHERE payer = $1',
    [payer.address],
  );
  // An observer who has the voucher gets a claim token of their own.
  const observed = await signTotal(rig, payer, { total: 2n * price, body });
  const refused = await send(observed);
  expect([refused.status, refused.body.error.code]).toEqual([409, 'payment_already_used']);
  expect((await send(request)).body.id).toBe(first.body.id);
  // With a different request, they learn nothing about vouchers that are not public.
  expect((await send(await signTotal(rig, payer, { total: 3n * price }))).status).toBe(200);
  const curious = await send(await signTotal(rig, payer, { total: 2n * price }));
  expect([curious.status, curious.body.error]).toEqual([402, mismatch]);
  expect(curious.body.accepts[0].extra).not.toHaveProperty('voucherState');
  await expectCharged(payer, 3);
});

test('an offer of one scheme is not paid by the other', async () => {
  const payer = await newPayer();
  const request = await signTotal(rig, payer, { total: 2n * price });
  const asExact = await send(
    changed(request, (envelope) => {
      envelope.accepted.scheme = 'exact';
    }),
  );
  expect([asExact.status, asExact.body.error]).toEqual([402, 'invalid_payload']);
  const exact = await send(
    changed(request, (envelope) => {
      envelope.payload = { authorization: { from: payer.address }, signature: '0x' };
    }),
  );
  expect([exact.status, exact.body.error]).toEqual([402, 'invalid_payload']);
  await expectCharged(payer, 1);
});

test('other amounts than those that are offered are a matter of a new challenge', async () => {
  const payer = await newPayer();
  for (const offered of [price - 1_000n, price + 1_000n]) {
    // As after a price change between challenge and payment: everything is signed as it was offered then.
    const request = await signTotal(rig, payer, { total: price + offered });
    const earlier = await send(
      changed(request, (envelope) => {
        envelope.accepted.amount = String(offered);
      }),
    );
    expect([earlier.status, earlier.body.error]).toEqual([402, 'invalid_payment_requirements']);
    expect(earlier.headers.get('PAYMENT-RESPONSE')).toBeNull();
    expect(earlier.body.accepts.length).toBeGreaterThan(1);
    expect(earlier.body.accepts.at(-1)).toMatchObject({ scheme: 'batch-settlement', amount: String(price) });
    await expectCharged(payer, 1);
  }
  expect((await send(await signTotal(rig, payer, { total: 2n * price }))).status).toBe(200);
  await expectCharged(payer, 2);
});

test('a voucher with other terms or another signature is refused', async () => {
  const payer = await newPayer();
  const stranger = privateKeyToAccount(generatePrivateKey());
  const reasonOf = async (...order: Parameters<typeof signTotal>) =>
    (await send(await signTotal(...order))).body.error;
  const total = 2n * price;
  expect(await reasonOf(rig, payer, { total, signer: stranger })).toMatch(/voucher_signature$/);
  expect(await reasonOf(rig, payer, { total, config: { receiver: stranger.address } })).toMatch(
    /receiver_mismatch$/,
  );
  const zero = `0x${'0'.repeat(40)}` as const;
  expect(await reasonOf(rig, payer, { total, config: { payerAuthorizer: zero } })).toMatch(
    /voucher_signature$/,
  );
  const request = await signTotal(rig, payer, { total });
  const hex = changed(request, (envelope) => {
    (envelope.payload.voucher as { maxClaimableAmount: string }).maxClaimableAmount = '0x2710';
  });
  expect((await send(hex)).body.error).toBe('invalid_payload');
  await expectCharged(payer, 1);
});

test('while the node is down, a channel that was read a moment ago pays, and one that was not is left alone', async () => {
  const payer = await newPayer();
  const [fresh, stale] = [
    await signTotal(rig, payer, { total: 2n * price }),
    await signTotal(rig, payer, { total: 3n * price }),
  ];
  rig.base.on('*', loseRequest);
  try {
    expect((await send(fresh)).status).toBe(200);
    await rig.query("UPDATE channel SET read_at = now() - interval '1 hour' WHERE payer = $1", [
      payer.address,
    ]);
    const { status, headers, body } = await send(stale);
    expect([status, body.error.code, body.error.payment]).toEqual([503, 'service_unavailable', 'none']);
    expect(headers.get('Retry-After')).not.toBeNull();
    await expectCharged(payer, 2);
  } finally {
    rig.clearWays();
  }
  await until('the network', async () => (await fetch(`${rig.apiUrl}/health/ready`)).status === 200);
  expect((await send(stale)).status).toBe(200);
  await expectCharged(payer, 3);
});
