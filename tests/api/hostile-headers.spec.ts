import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { expectChallenge, expectError, expectUntouched, startAtomic } from '../support/expectations';
import { newEvmPayer } from '../support/payers';
import { sendRaw } from '../support/raw';
import { forEachSeller } from '../support/sellers';
import { byTheFramework, isStartedByNext } from '../support/started-by';
import { expect, test } from '../support/without-browser';

const on = 'base';
/** The limit of headers that a server in Node has by default. */
const nodesOwn = 16 * 1024;
const byItsHost = 'its host answers 431, as Node does by default, before the package sees the request';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Headers without a payment, or with a payment made unreadable. */
const unreadable: readonly (readonly [string, (header: string, json: string) => string])[] = [
  ['empty', () => ''],
  ['base64 of binary', () => Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64')],
  ['null', () => base64('null')],
  ['a number', () => base64('7')],
  ['three thousand nested lists', () => base64('['.repeat(3_000) + ']'.repeat(3_000))],
  ['8 KB of nothing', () => 'A'.repeat(8 * 1024)],
  ['16 KB of nothing', () => 'A'.repeat(16 * 1024)],
  ['no base64', () => '!!! not base64 !!!'],
  ['cut off', (header) => header.slice(0, header.length / 2)],
  ['without its last character', (header) => header.replace(/=*$/, '').slice(0, -1)],
  ['bytes above ASCII', () => 'é'.repeat(200)],
  ['encoded twice', (header) => base64(header)],
  ['a list', (_, json) => base64(`[${json}]`)],
  ['three thousand nested objects', () => base64(`${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}`)],
  ['a payment in __proto__', (_, json) => base64(`{"__proto__":${json}}`)],
  ['a payment in constructor', (_, json) => base64(`{"constructor":{"prototype":${json}}}`)],
  ['a version 1 payment', () => base64('{"x402Version":1,"scheme":"exact","network":"base","payload":{}}')],
];

forEachSeller((seller) => {
  const target = () => ({ method: 'POST', path: new URL(seller.url).pathname, apiUrl: seller.apiUrl });

  async function signed() {
    const wallet = await newEvmPayer(startAtomic, [on]);
    const envelope = await envelopeFor(seller.url, wallet, on);
    return { wallet, envelope, header: paymentHeader(envelope)['PAYMENT-SIGNATURE'] };
  }

  test('the same payment under both header names counts once', async () => {
    const { wallet, header } = await signed();
    const headers = { 'PAYMENT-SIGNATURE': header, 'X-PAYMENT': header };
    const answer = await fetch(seller.url, { method: 'POST', headers, body: seller.newBody() });
    expect(answer.status).toBe(200);
    expect(await balanceOf(wallet, on)).toBe(startAtomic - seller.price);
  });

  test('two payments in one request are refused, and neither is used', async () => {
    const [one, other] = [await signed(), await signed()];
    const headers = { 'PAYMENT-SIGNATURE': one.header, 'X-PAYMENT': other.header };
    const answer = await fetch(seller.url, { method: 'POST', headers, body: seller.newBody() });
    await expectChallenge(answer, 'ambiguous_payment', undefined, seller);
    await expectUntouched(one.wallet, on, startAtomic, seller);
    await expectUntouched(other.wallet, on, startAtomic, seller);
  });

  for (const name of ['PAYMENT-SIGNATURE', 'X-PAYMENT']) {
    test(`${name} twice in one request is refused, even with equal values`, async () => {
      const { wallet, header } = await signed();
      const headers = [name, header, name, header];
      const answer = await sendRaw({ ...target(), headers, body: seller.newBody() });
      await expectChallenge(answer, 'invalid_payload', undefined, seller);
      await expectUntouched(wallet, on, startAtomic, seller);
    });

    test(`${name} is read in any letter case`, async () => {
      const { wallet, header } = await signed();
      const headers = [name.toLowerCase().replace('p', 'P'), header];
      expect((await sendRaw({ ...target(), headers, body: seller.newBody() })).status).toBe(200);
      expect(await balanceOf(wallet, on)).toBe(startAtomic - seller.price);
    });
  }

  for (const [what, headers] of [
    ['Hosts', ['Host', 'other.example']],
    ['credentials', ['Authorization', 'Payment e30', 'Authorization', 'Payment e30']],
  ] as const) {
    test(`a request with two ${what} is malformed`, async () => {
      test.skip(isStartedByNext, byTheFramework);
      const answer = await sendRaw({
        method: 'POST',
        path: '/v1/mpp/uploads',
        headers,
        body: seller.newBody(),
      });
      await expectError(answer, 'malformed_request');
    });
  }

  for (const [what, spoil] of unreadable) {
    test(`a payment header that is ${what} is refused with a reason`, async () => {
      test.skip(seller.headerBytesMax <= nodesOwn && what === '16 KB of nothing', byItsHost);
      const { wallet, envelope, header } = await signed();
      for (const name of ['PAYMENT-SIGNATURE', 'X-PAYMENT']) {
        const headers = [name, spoil(header, JSON.stringify(envelope))];
        const answer = await sendRaw({ ...target(), headers, body: seller.newBody() });
        await expectChallenge(answer, 'invalid_payload', undefined, seller);
      }
      await expectUntouched(wallet, on, startAtomic, seller);
    });
  }

  for (const [part, spoil] of [
    ['accepted', (json: string) => json.replace('"extra":{', '"extra":{"__proto__":{"polluted":1},')],
    [
      'payload',
      (json: string) => json.replace('"authorization":{', '"authorization":{"__proto__":{"value":1},'),
    ],
    ['extensions', (json: string) => json.replace('"extensions":{', '"extensions":{"__proto__":{"x":{}},')],
  ] as const) {
    test(`__proto__ in the ${part} of a payment changes nothing about it`, async () => {
      const { wallet, envelope } = await signed();
      const json = spoil(JSON.stringify(envelope));
      expect(json).toContain('__proto__');
      const headers = { 'PAYMENT-SIGNATURE': base64(json) };
      const body = seller.newBody();
      const answers = [
        await fetch(seller.url, { method: 'POST', headers, body }),
        await fetch(seller.url, { method: 'POST', headers: paymentHeader(envelope), body }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[1]?.headers.get('idempotent-replayed')).toBe('true');
      expect(await balanceOf(wallet, on)).toBe(startAtomic - seller.price);
    });
  }

  for (const kilobytes of [8, 15]) {
    test(`a payment padded to ${kilobytes} KB by the extensions it echoes works`, async () => {
      const { wallet, envelope, header } = await signed();
      const room = kilobytes * 768 - Buffer.from(header, 'base64').length;
      const padded = { ...envelope, extensions: { ...envelope.extensions, padding: 'x'.repeat(room - 20) } };
      const headers = paymentHeader(padded);
      expect(headers['PAYMENT-SIGNATURE'].length).toBeGreaterThan(kilobytes * 1_000);
      const answer = await fetch(seller.url, { method: 'POST', headers, body: seller.newBody() });
      expect(answer.status).toBe(200);
      expect(await balanceOf(wallet, on)).toBe(startAtomic - seller.price);
    });
  }

  for (const kilobytes of [17, 31]) {
    test(`${kilobytes} KB of payment header are refused as too large`, async () => {
      test.skip(seller.headerBytesMax <= nodesOwn, byItsHost);
      const headers = ['PAYMENT-SIGNATURE', 'A'.repeat(kilobytes * 1024)];
      const answer = await sendRaw({ ...target(), headers, body: seller.newBody() });
      await expectChallenge(answer, 'payment_too_large', undefined, seller);
    });
  }

  for (const kilobytes of [33, 64]) {
    test(`${kilobytes} KB of headers get 431 with the error body`, async () => {
      test.skip(isStartedByNext, byTheFramework);
      test.skip(seller.headerBytesMax <= nodesOwn, byItsHost);
      const headers = ['PAYMENT-SIGNATURE', 'A'.repeat(kilobytes * 1024)];
      const answer = await sendRaw({ ...target(), headers });
      expect(answer.status).toBe(431);
      expect((await answer.json()).error).toEqual({
        code: 'headers_too_large',
        message: expect.any(String),
        payment: 'none',
        retry: 'fix_input',
        requestId: answer.headers.get('request-id'),
        docs: `${seller.apiUrl}/docs/errors#headers_too_large`,
      });
    });
  }

  test('a payment whose unsigned fields name another resource, or without extensions, still pays', async () => {
    const { wallet, envelope } = await signed();
    const { extensions, resource, ...bare } = envelope;
    const headers = paymentHeader(bare);
    const answer = await fetch(seller.url, { method: 'POST', headers, body: seller.newBody() });
    expect(answer.status).toBe(200);
    expect(await balanceOf(wallet, on)).toBe(startAtomic - seller.price);
  });

  test('a key in the header that differs from the one in the payment is refused and charges nothing', async () => {
    const { wallet, envelope } = await signed();
    const id = 'pay_0123456789abcdef0123456789abcdef';
    const identifier = { 'payment-identifier': { info: { required: false, id }, schema: {} } };
    const headers = paymentHeader({ ...envelope, extensions: { ...envelope.extensions, ...identifier } });
    const answer = await fetch(seller.url, {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': 'another' },
      body: seller.newBody(),
    });
    const error = await expectError(answer, 'invalid_input', seller.apiUrl);
    expect(error.issues).toEqual([
      { path: 'Idempotency-Key', rule: 'must equal the payment-identifier of the payment' },
    ]);
    await expectUntouched(wallet, on, startAtomic, seller);
  });
});
