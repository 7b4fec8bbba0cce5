import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { Receipt } from 'mppx';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { topUpGas } from '@/local/evm/funding';
import {
  createPaywall,
  evm,
  type FetchHandler,
  memoryStore,
  type Paywall,
  type PaywallOptions,
} from '@/packages/paywall';
import { balanceOf } from '../support/balances';
import { envelopeFor, officialClient, payingFetch, paymentHeader } from '../support/buyer';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer } from '../support/payers';
import { network } from '../support/stack';
import { test as base, expect } from '../support/without-browser';

/** A paywall in a bare Node server, with a settlement key and a payee of its own. */
class Shop {
  readonly url: string;
  readonly payee = privateKeyToAccount(generatePrivateKey());
  readonly paywall: Paywall;
  readonly handler: FetchHandler;
  /** The calls that were delivered. */
  readonly delivered: string[] = [];
  /** How often the next calls fail. */
  failures = 0;

  constructor(url: string, settlementKey: string, options: Partial<PaywallOptions> = {}) {
    this.url = url;
    const { rpcUrl, usdc } = network('base');
    this.paywall = createPaywall({
      name: 'Word counter',
      publicUrl: url,
      secrets: [Buffer.alloc(32, 7).toString('base64')],
      store: memoryStore(),
      networks: [
        evm({
          network: 'base',
          rpcUrls: [rpcUrl],
          payTo: this.payee.address,
          settlementKeys: [settlementKey],
          usdc,
        }),
      ],
      ...options,
    });
    this.handler = this.paywall.sell({
      id: 'words.count',
      path: '/words',
      price: '0.002',
      title: 'Count words',
      summary: 'Count the words of a text.',
      input: z.strictObject({ text: z.string().max(10_000) }),
      output: z.strictObject({ words: z.number().int(), longest: z.number().int() }),
      example: { input: { text: 'Hello, world' }, output: { words: 2, longest: 6 } },
      refusals: { no_words: 'The text has no words. Nothing was charged.' },
      failures: { too_long: 'A word is longer than a hundred letters. The payment is kept.' },
      prepare: async ({ text }, { refuse }) => {
        const words = text.match(/\S+/g);
        if (!words) throw refuse('no_words');
        return words;
      },
      run: async (_, { prepared: words, paidCallId, fail }) => {
        if (this.failures > 0) {
          this.failures -= 1;
          throw new Error('not now');
        }
        const longest = Math.max(...words.map(({ length }) => length));
        if (longest > 100) throw fail('too_long');
        this.delivered.push(paidCallId);
        return { words: words.length, longest };
      },
    });
  }

  call(
    text: string,
    options: { path?: string; headers?: Record<string, string> } = {},
  ): [string, RequestInit] {
    const { path = '/words', headers = {} } = options;
    return [
      this.url + path,
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({ text }),
      },
    ];
  }

  /** What the payee has got, in atomic USDC. */
  earned(): Promise<bigint> {
    return balanceOf(this.payee, 'base');
  }
}

const test = base.extend<{ shop: Shop }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of fixtures from the pattern.
  shop: async ({}, use) => {
    const key = generatePrivateKey();
    await topUpGas(network('base').rpcUrl, privateKeyToAccount(key).address, 10n ** 18n);
    let shop: Shop | undefined;
    const server = createServer((req, res) => shop?.paywall.listener(req, res)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    shop = new Shop(`http://127.0.0.1:${port}`, key);
    await shop.paywall.start();
    await use(shop);
    await shop.paywall.stop();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  },
});

test('the official x402 client buys from a paywall in a bare Node server, once', async ({ shop }) => {
  const payer = await newEvmPayer();
  const answer = await payingFetch(payer, 'base')(...shop.call('one two three'));
  expect([answer.status, await answer.json()]).toEqual([200, { words: 3, longest: 5 }]);
  const receipt = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
  expect(receipt).toMatchObject({ success: true, payer: payer.address, network: network('base').caip2 });
  expect(await shop.earned()).toBe(2_000n);
  expect(await balanceOf(payer, 'base')).toBe(10_000_000n - 2_000n);
  expect(shop.delivered).toEqual([answer.headers.get('paid-call-id')]);
});

test('the same payment gets the stored answer of a paywall again and moves no money', async ({ shop }) => {
  const payer = await newEvmPayer();
  const [url, init] = shop.call('one two');
  const headers = { ...init.headers, ...paymentHeader(await envelopeFor(url, payer, 'base')) };
  const first = await fetch(url, { ...init, headers });
  const again = await fetch(url, { ...init, headers });
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(await again.text()).toBe(await first.text());
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('paid-call-id')).toBe(first.headers.get('paid-call-id'));
  expect(await shop.earned()).toBe(2_000n);
  expect(shop.delivered).toHaveLength(1);
});

test('ten identical requests at once are one call of a paywall and one payment', async ({ shop }) => {
  const payer = await newEvmPayer();
  const [url, init] = shop.call('one two');
  const headers = { ...init.headers, ...paymentHeader(await envelopeFor(url, payer, 'base')) };
  const answers = await Promise.all(Array.from({ length: 10 }, () => fetch(url, { ...init, headers })));
  const ids = new Set(answers.map((answer) => answer.headers.get('paid-call-id')));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(ids.size).toBe(1);
  expect(await shop.earned()).toBe(2_000n);
  expect(shop.delivered).toHaveLength(1);
});

test('invalid input at a paywall costs nothing and names the field', async ({ shop }) => {
  const payer = await newEvmPayer();
  const [url, init] = shop.call('one');
  const headers = { ...init.headers, ...paymentHeader(await envelopeFor(url, payer, 'base')) };
  const answer = await fetch(url, { ...init, headers, body: JSON.stringify({ txt: 'one' }) });
  const { error } = await answer.json();
  expect([answer.status, error.code, error.payment]).toEqual([400, 'invalid_input', 'none']);
  expect(error.issues.map(({ path }: { path: string }) => path)).toContain('text');
  // The payment is still good for the right input.
  expect((await fetch(url, { ...init, headers })).status).toBe(200);
  expect(await shop.earned()).toBe(2_000n);
});

test('a refusal that the service declares costs nothing', async ({ shop }) => {
  const payer = await newEvmPayer();
  const answer = await payingFetch(payer, 'base')(...shop.call('   '));
  const { error } = await answer.json();
  expect([answer.status, error.reason, error.message, error.payment]).toEqual([
    400,
    'no_words',
    'The text has no words. Nothing was charged.',
    'none',
  ]);
  expect(await shop.earned()).toBe(0n);
});

test('a failure that the service declares keeps the payment, and its answer is repeated', async ({
  shop,
}) => {
  const payer = await newEvmPayer();
  const [url, init] = shop.call('x'.repeat(101));
  const headers = { ...init.headers, ...paymentHeader(await envelopeFor(url, payer, 'base')) };
  for (const _ of ['first', 'again']) {
    const { error } = await (await fetch(url, { ...init, headers })).json();
    expect(error).toMatchObject({
      code: 'upstream_failed',
      reason: 'too_long',
      message: 'A word is longer than a hundred letters. The payment is kept.',
      payment: 'kept',
    });
  }
  expect(await shop.earned()).toBe(2_000n);
});

test('a paid call whose service fails for a moment is delivered by the background work', async ({ shop }) => {
  shop.failures = 1;
  const payer = await newEvmPayer();
  const [url, init] = shop.call('one two');
  const headers = { ...init.headers, ...paymentHeader(await envelopeFor(url, payer, 'base')) };
  const failed = await fetch(url, { ...init, headers });
  const { error } = await failed.json();
  expect([failed.status, error.code, error.payment]).toEqual([503, 'delivery_pending', 'kept']);
  // Nobody sends the request again: recovery delivers.
  await expect.poll(() => shop.delivered.length, { timeout: 15_000 }).toBe(1);
  const answer = await fetch(url, { ...init, headers });
  expect([answer.status, await answer.json()]).toEqual([200, { words: 2, longest: 3 }]);
  expect(await shop.earned()).toBe(2_000n);
});

test('a paywall refuses payments with the reasons of the protocol and charges nothing', async ({ shop }) => {
  const payer = await newEvmPayer();
  const [url, init] = shop.call('one');
  const challenge = decodePaymentRequiredHeader(
    (await fetch(url, init)).headers.get('payment-required') ?? '',
  );
  const envelopeWith = (change: object) =>
    officialClient(payer, 'base').createPaymentPayload({
      ...challenge,
      accepts: challenge.accepts.map((entry) => ({ ...entry, ...change })),
    });
  const reasonOf = async (change: object) => {
    const headers = { ...init.headers, ...paymentHeader(await envelopeWith(change)) };
    const answer = await fetch(url, { ...init, headers });
    return [answer.status, (await answer.json()).error];
  };
  const stranger = privateKeyToAccount(generatePrivateKey()).address;
  expect(await reasonOf({ payTo: stranger })).toEqual([402, 'invalid_exact_evm_recipient_mismatch']);
  expect(await reasonOf({ amount: '1999' })).toEqual([
    402,
    'invalid_exact_evm_payload_authorization_value_mismatch',
  ]);
  expect(await reasonOf({ maxTimeoutSeconds: 1 })).toEqual([
    402,
    'invalid_exact_evm_payload_authorization_valid_before_too_soon',
  ]);
  const poor = privateKeyToAccount(generatePrivateKey());
  const headers = { ...init.headers, ...paymentHeader(await envelopeFor(url, poor, 'base')) };
  const broke = await fetch(url, { ...init, headers });
  expect([broke.status, (await broke.json()).error]).toEqual([402, 'invalid_exact_evm_insufficient_balance']);
  expect(await shop.earned()).toBe(0n);
});

test('the official MPP client buys from a paywall, and the same credential gets the same answer', async ({
  shop,
}) => {
  const payer = await newEvmPayer();
  const [url, init] = shop.call('one two three', { path: '/mpp/words' });
  const credential = await mppClient(payer, 'base').createCredential(await fetch(url, init));
  const headers = { ...init.headers, Authorization: credential };
  const first = await fetch(url, { ...init, headers });
  const again = await fetch(url, { ...init, headers });
  expect([first.status, await first.json()]).toEqual([200, { words: 3, longest: 5 }]);
  expect([again.status, await again.json()]).toEqual([200, { words: 3, longest: 5 }]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  const receipt = Receipt.fromResponse(first);
  expect(receipt).toMatchObject({ status: 'success', method: 'evm' });
  expect(Receipt.fromResponse(again).reference).toBe(receipt.reference);
  expect(shop.delivered).toEqual([first.headers.get('paid-call-id')]);
  expect(await shop.earned()).toBe(2_000n);
});

test('an MPP credential pays for its own body only', async ({ shop }) => {
  const payer = await newEvmPayer();
  const [url, init] = shop.call('one two three', { path: '/mpp/words' });
  const credential = await mppClient(payer, 'base').createCredential(await fetch(url, init));
  const [, other] = shop.call('one', { path: '/mpp/words', headers: { Authorization: credential } });
  const answer = await fetch(url, other);
  expect([answer.status, (await answer.json()).reason]).toEqual([402, 'body_digest_mismatch']);
  expect(await shop.earned()).toBe(0n);
});

test('the handler that a paywall returns for a call answers requests without a server', async ({ shop }) => {
  const payer = await newEvmPayer();
  const [url, init] = shop.call('one two');
  const envelope = await envelopeFor(url, payer, 'base');
  const request = (path: string, headers: Record<string, string> = {}) =>
    new Request(shop.url + path, { ...init, headers: { ...init.headers, ...headers } });
  expect((await shop.handler(request('/words'))).status).toBe(402);
  expect((await shop.handler(request('/other'))).status).toBe(404);
  const answer = await shop.handler(request('/words', paymentHeader(envelope)));
  expect([answer.status, await answer.json()]).toEqual([200, { words: 2, longest: 3 }]);
  expect(await shop.earned()).toBe(2_000n);
});

test('the documents of a paywall are made from what it sells', async ({ shop }) => {
  const get = async (path: string) => (await fetch(shop.url + path)).json();
  const { paths } = await get('/openapi.json');
  expect(Object.keys(paths)).toEqual(['/words', '/mpp/words']);
  expect(paths['/words'].post['x-payment-info'].price).toEqual({
    mode: 'fixed',
    currency: 'USD',
    amount: '0.002',
  });
  expect(paths['/mpp/words'].post['x-payment-info'].offers).toMatchObject([
    { method: 'evm', amount: '2000' },
  ]);
  expect(await get('/.well-known/x402')).toEqual({ version: 1, resources: [`${shop.url}/words`] });
  expect((await get('/.well-known/jwks.json')).keys).toHaveLength(1);
  expect(await (await fetch(`${shop.url}/docs/errors`)).text()).toContain('| `too_long` | kept |');
  expect((await fetch(`${shop.url}/nothing`)).status).toBe(404);
});
