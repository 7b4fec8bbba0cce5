import type { PaymentPayload } from '@x402/core/types';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader, type Wallet } from '../support/buyer';
import { callsOf } from '../support/database';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { stack, type TestNetwork } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { buySlot, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const newPayer = (on: string) => (on === 'solana-mainnet' ? newSolanaPayer() : newEvmPayer());
const families = ['base', 'solana-mainnet'] as const;

function post(
  envelope: PaymentPayload,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(uploadsUrl(), { method: 'POST', headers: { ...paymentHeader(envelope), ...headers }, body });
}

/** What anyone can rebuild from a settled payment: everything but the extensions, which never reach a chain. */
function asSeenOnChain({ extensions, ...envelope }: PaymentPayload): PaymentPayload {
  return envelope;
}

async function expectConflict(answer: Response, code: string): Promise<void> {
  expect(answer.status).toBe(409);
  const text = await answer.text();
  expect(JSON.parse(text).error.code).toBe(code);
  expect(text).not.toContain(stack().filesUrl);
}

async function expectChargedOnce(wallet: Wallet, on: TestNetwork['name']): Promise<void> {
  expect(await balanceOf(wallet, on)).toBe(10_000_000n - 5_000n);
  expect(await callsOf(wallet.address)).toBe(1);
}

for (const on of families) {
  test(`the identical request on ${on} gets the identical response and is not charged again`, async () => {
    const wallet = await newPayer(on);
    const envelope = await envelopeFor(uploadsUrl(), wallet, on);
    const { body } = aFile();
    const first = await post(envelope, body);
    const again = await post(envelope, body);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(await again.text()).toBe(await first.text());
    for (const name of ['paid-call-id', 'payment-response', 'x-payment-response', 'content-type']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    await expectChargedOnce(wallet, on);
  });

  test(`a payment on ${on} rebuilt from public data gets nothing`, async () => {
    const wallet = await newPayer(on);
    const envelope = await envelopeFor(uploadsUrl(), wallet, on);
    const { body } = aFile();
    expect((await post(envelope, body, { 'Idempotency-Key': 'a-secret-of-the-buyer' })).status).toBe(200);
    await expectConflict(await post(asSeenOnChain(envelope), body), 'payment_already_used');
    await expectConflict(
      await post(asSeenOnChain(envelope), body, { 'Idempotency-Key': 'a-guess' }),
      'idempotency_conflict',
    );
    const stranger = await envelopeFor(uploadsUrl(), await newPayer(on), on);
    await expectConflict(
      await post({ ...asSeenOnChain(envelope), extensions: stranger.extensions }, body),
      'payment_already_used',
    );
    await expectChargedOnce(wallet, on);
  });

  test(`a freshly signed payment on ${on} under the same key gets the first response and is not charged`, async () => {
    const wallet = await newPayer(on);
    const { body } = aFile();
    const key = { 'Idempotency-Key': '"5b1c0f6e-quoted-as-the-draft-has-it"' };
    const first = await post(await envelopeFor(uploadsUrl(), wallet, on), body, key);
    const again = await post(await envelopeFor(uploadsUrl(), wallet, on), body, key);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(await again.text()).toBe(await first.text());
    await expectChargedOnce(wallet, on);
  });

  test(`one payment on ${on} buys one body, one operation, under one key`, async () => {
    const wallet = await newPayer(on);
    const { id } = await buySlot(wallet, on);
    const envelope = await envelopeFor(uploadsUrl(), wallet, on);
    const { body } = aFile();
    expect((await post(envelope, body)).status).toBe(200);
    await expectConflict(await post(envelope, aFile().body), 'idempotency_conflict');
    await expectConflict(
      await post(envelope, body, { 'Idempotency-Key': 'another' }),
      'idempotency_conflict',
    );
    const renewal = await fetch(`${uploadsUrl()}/${id}/renew`, {
      method: 'POST',
      headers: paymentHeader(envelope),
    });
    await expectConflict(renewal, 'idempotency_conflict');
    expect(await balanceOf(wallet, on)).toBe(10_000_000n - 10_000n);
  });
}

test('other order and spacing of the JSON make the same request', async () => {
  const envelope = await envelopeFor(uploadsUrl(), await newEvmPayer(), 'base');
  const { announcement, body } = aFile();
  const first = await post(envelope, body);
  const reversed = JSON.stringify(Object.fromEntries(Object.entries(announcement).reverse()), null, 2);
  const again = await post(envelope, reversed);
  expect(again.status).toBe(200);
  expect(await again.text()).toBe(await first.text());
});

test('a key sent with another body is a conflict, and the second payment is not charged', async () => {
  const wallet = await newEvmPayer();
  const key = { 'Idempotency-Key': 'order-1' };
  expect((await post(await envelopeFor(uploadsUrl(), wallet, 'base'), aFile().body, key)).status).toBe(200);
  const other = await post(await envelopeFor(uploadsUrl(), wallet, 'base'), aFile().body, key);
  await expectConflict(other, 'idempotency_conflict');
  await expectChargedOnce(wallet, 'base');
});

test('the same key from two wallets is two calls', async () => {
  const key = { 'Idempotency-Key': 'the-same-for-both' };
  const { body } = aFile();
  const answers = await Promise.all(
    [await newEvmPayer(), await newEvmPayer()].map(async (wallet) =>
      post(await envelopeFor(uploadsUrl(), wallet, 'base'), body, key),
    ),
  );
  const ids = await Promise.all(answers.map(async (answer) => (await answer.json()).id));
  expect(new Set(ids).size).toBe(2);
});

/** The same envelope with an ID added to the payment-identifier extension that we declare. */
function identified(envelope: PaymentPayload, id: unknown): PaymentPayload {
  const extension = envelope.extensions?.['payment-identifier'] as { info: object };
  const info = { ...extension.info, id };
  return {
    ...envelope,
    extensions: { ...envelope.extensions, 'payment-identifier': { ...extension, info } },
  };
}

test("x402's payment-identifier is taken for the key that it is", async () => {
  const wallet = await newEvmPayer();
  const { body } = aFile();
  const named = async () =>
    identified(await envelopeFor(uploadsUrl(), wallet, 'base'), 'pay_0123456789abcdef0123456789abcdef');
  const first = await post(await named(), body);
  const again = await post(await named(), body);
  expect(await again.text()).toBe(await first.text());
  await expectChargedOnce(wallet, 'base');
});

const wrongIds: readonly unknown[] = [
  ...[1234567890123456, null, ['pay_0123456789abcdef'], 'p'.repeat(15), 'p'.repeat(129)],
  ...['pay 0123456789abcdef', 'päy_0123456789abcdef'],
];

for (const on of families)
  test(`a payment-identifier on ${on} of another type, length or alphabet is refused by name and rule, uncharged`, async () => {
    const wallet = await newPayer(on);
    const envelope = await envelopeFor(uploadsUrl(), wallet, on);
    const { body } = aFile();
    for (const id of wrongIds) {
      const answer = await post(identified(envelope, id), body);
      expect((await expectError(answer, 'invalid_input')).issues, String(id)).toEqual([
        {
          path: 'extensions.payment-identifier.info.id',
          rule: 'must be 16 to 128 letters, digits, hyphens and underscores',
        },
      ]);
    }
    expect(await balanceOf(wallet, on)).toBe(10_000_000n);
    expect((await post(envelope, body)).status).toBe(200);
  });

test('the shortest and the longest payment-identifier are accepted', async () => {
  for (const id of ['p'.repeat(16), 'p'.repeat(128)]) {
    const envelope = await envelopeFor(uploadsUrl(), await newEvmPayer(), 'base');
    expect((await post(identified(envelope, id), aFile().body)).status).toBe(200);
  }
});

test('exactly one of two bodies with one payment is served, fifty times', fullOnly, async () => {
  const pairs = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const wallet = await newEvmPayer();
      const envelope = await envelopeFor(uploadsUrl(), wallet, 'base');
      const answers = await Promise.all([post(envelope, aFile().body), post(envelope, aFile().body)]);
      return { wallet, statuses: answers.map(({ status }) => status).sort() };
    }),
  );
  for (const { wallet, statuses } of pairs) {
    expect(statuses).toEqual([200, 409]);
    await expectChargedOnce(wallet, 'base');
  }
});

test('keys of another length or alphabet are refused by name, uncharged', async () => {
  const wallet = await newEvmPayer();
  const envelope = await envelopeFor(uploadsUrl(), wallet, 'base');
  for (const key of ['', 'ü', 'x'.repeat(256), 'two words']) {
    const answer = await post(envelope, aFile().body, { 'Idempotency-Key': key });
    expect(answer.status, key).toBe(400);
    expect((await answer.json()).error.issues, key).toEqual([
      { path: 'Idempotency-Key', rule: 'must be 1 to 255 visible ASCII characters' },
    ]);
  }
  expect(await balanceOf(wallet, 'base')).toBe(10_000_000n);
  expect((await post(envelope, aFile().body)).status).toBe(200);
});
