import type { PaymentPayload } from '@x402/core/types';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader, type Wallet } from '../support/buyer';
import { expectError } from '../support/expectations';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { expectCalls, type Seller } from '../support/seller';
import { forEachSeller } from '../support/sellers';
import type { TestNetwork } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

const newPayer = (on: string) => (on === 'solana-mainnet' ? newSolanaPayer() : newEvmPayer());
const families = ['base', 'solana-mainnet'] as const;

function postTo(
  { url }: Seller,
  envelope: PaymentPayload,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...paymentHeader(envelope), ...headers }, body });
}

/** What anyone can rebuild from a settled payment: everything but the extensions, which never reach a chain. */
function asSeenOnChain({ extensions, ...envelope }: PaymentPayload): PaymentPayload {
  return envelope;
}

async function expectConflict(answer: Response, code: string): Promise<void> {
  expect(answer.status).toBe(409);
  const { error, ...rest } = await answer.json();
  expect([error.code, rest]).toEqual([code, {}]);
}

async function expectChargedOnceBy(seller: Seller, wallet: Wallet, on: TestNetwork['name']): Promise<void> {
  expect(await balanceOf(wallet, on)).toBe(10_000_000n - seller.price);
  await expectCalls(seller, wallet.address, 1);
}

/** The same envelope with an ID added to the payment-identifier extension that we declare. */
function identified(envelope: PaymentPayload, id: unknown): PaymentPayload {
  const extension = envelope.extensions?.['payment-identifier'] as { info: object };
  const info = { ...extension.info, id };
  return {
    ...envelope,
    extensions: { ...envelope.extensions, 'payment-identifier': { ...extension, info } },
  };
}

const wrongIds: readonly unknown[] = [
  ...[1234567890123456, null, ['pay_0123456789abcdef'], 'p'.repeat(15), 'p'.repeat(129)],
  ...['pay 0123456789abcdef', 'päy_0123456789abcdef'],
];

forEachSeller((seller) => {
  const post = postTo.bind(null, seller);
  const expectChargedOnce = expectChargedOnceBy.bind(null, seller);

  for (const on of families.filter((one) => seller.networks.includes(one))) {
    test(`the identical request on ${on} gets the identical response and is not charged again`, async () => {
      const wallet = await newPayer(on);
      const envelope = await envelopeFor(seller.url, wallet, on);
      const body = seller.newBody();
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
      const envelope = await envelopeFor(seller.url, wallet, on);
      const body = seller.newBody();
      expect((await post(envelope, body, { 'Idempotency-Key': 'a-secret-of-the-buyer' })).status).toBe(200);
      await expectConflict(await post(asSeenOnChain(envelope), body), 'payment_already_used');
      await expectConflict(
        await post(asSeenOnChain(envelope), body, { 'Idempotency-Key': 'a-guess' }),
        'idempotency_conflict',
      );
      const stranger = await envelopeFor(seller.url, await newPayer(on), on);
      await expectConflict(
        await post({ ...asSeenOnChain(envelope), extensions: stranger.extensions }, body),
        'payment_already_used',
      );
      await expectChargedOnce(wallet, on);
    });

    test(`a freshly signed payment on ${on} under the same key gets the first response and is not charged`, async () => {
      const wallet = await newPayer(on);
      const body = seller.newBody();
      const key = { 'Idempotency-Key': '"5b1c0f6e-quoted-as-the-draft-has-it"' };
      const first = await post(await envelopeFor(seller.url, wallet, on), body, key);
      const again = await post(await envelopeFor(seller.url, wallet, on), body, key);
      expect([first.status, again.status]).toEqual([200, 200]);
      expect(await again.text()).toBe(await first.text());
      await expectChargedOnce(wallet, on);
    });

    test(`one payment on ${on} buys one body, one operation, under one key`, async () => {
      const wallet = await newPayer(on);
      const otherUrl = await seller.otherUrl?.(wallet, on);
      const before = await balanceOf(wallet, on);
      const envelope = await envelopeFor(seller.url, wallet, on);
      const body = seller.newBody();
      expect((await post(envelope, body)).status).toBe(200);
      await expectConflict(await post(envelope, seller.newBody()), 'idempotency_conflict');
      await expectConflict(
        await post(envelope, body, { 'Idempotency-Key': 'another' }),
        'idempotency_conflict',
      );
      // The examples sell one call.
      if (otherUrl !== undefined) {
        const other = await fetch(otherUrl, { method: 'POST', headers: paymentHeader(envelope) });
        await expectConflict(other, 'idempotency_conflict');
      }
      expect(await balanceOf(wallet, on)).toBe(before - seller.price);
    });
  }

  test('other order and spacing of the JSON make the same request', async () => {
    const envelope = await envelopeFor(seller.url, await newEvmPayer(), 'base');
    const body = seller.newBody();
    const first = await post(envelope, body);
    const reversed = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body)).reverse()), null, 2);
    const again = await post(envelope, reversed);
    expect(again.status).toBe(200);
    expect(await again.text()).toBe(await first.text());
  });

  test('a key sent with another body is a conflict, and the second payment is not charged', async () => {
    const wallet = await newEvmPayer();
    const key = { 'Idempotency-Key': 'order-1' };
    expect((await post(await envelopeFor(seller.url, wallet, 'base'), seller.newBody(), key)).status).toBe(
      200,
    );
    const other = await post(await envelopeFor(seller.url, wallet, 'base'), seller.newBody(), key);
    await expectConflict(other, 'idempotency_conflict');
    await expectChargedOnce(wallet, 'base');
  });

  test('the same key from two wallets is two calls', async () => {
    const key = { 'Idempotency-Key': 'the-same-for-both' };
    const body = seller.newBody();
    const answers = await Promise.all(
      [await newEvmPayer(), await newEvmPayer()].map(async (wallet) =>
        post(await envelopeFor(seller.url, wallet, 'base'), body, key),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(answers.map(({ headers }) => headers.get('paid-call-id'))).size).toBe(2);
  });

  test("x402's payment-identifier is taken for the key that it is", async () => {
    const wallet = await newEvmPayer();
    const body = seller.newBody();
    const named = async () =>
      identified(await envelopeFor(seller.url, wallet, 'base'), 'pay_0123456789abcdef0123456789abcdef');
    const first = await post(await named(), body);
    const again = await post(await named(), body);
    expect(await again.text()).toBe(await first.text());
    await expectChargedOnce(wallet, 'base');
  });

  for (const on of families.filter((one) => seller.networks.includes(one)))
    test(`a payment-identifier on ${on} of another type, length or alphabet is refused by name and rule, uncharged`, async () => {
      const wallet = await newPayer(on);
      const envelope = await envelopeFor(seller.url, wallet, on);
      const body = seller.newBody();
      for (const id of wrongIds) {
        const answer = await post(identified(envelope, id), body);
        expect((await expectError(answer, 'invalid_input', seller.apiUrl)).issues, String(id)).toEqual([
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
      const envelope = await envelopeFor(seller.url, await newEvmPayer(), 'base');
      expect((await post(identified(envelope, id), seller.newBody())).status).toBe(200);
    }
  });

  test('exactly one of two bodies with one payment is served, fifty times', fullOnly, async () => {
    const pairs = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const wallet = await newEvmPayer();
        const envelope = await envelopeFor(seller.url, wallet, 'base');
        const answers = await Promise.all([
          post(envelope, seller.newBody()),
          post(envelope, seller.newBody()),
        ]);
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
    const envelope = await envelopeFor(seller.url, wallet, 'base');
    for (const key of ['', 'ü', 'x'.repeat(256), 'two words']) {
      const answer = await post(envelope, seller.newBody(), { 'Idempotency-Key': key });
      expect(answer.status, key).toBe(400);
      expect((await answer.json()).error.issues, key).toEqual([
        { path: 'Idempotency-Key', rule: 'must be 1 to 255 visible ASCII characters' },
      ]);
    }
    expect(await balanceOf(wallet, 'base')).toBe(10_000_000n);
    expect((await post(envelope, seller.newBody())).status).toBe(200);
  });
});
