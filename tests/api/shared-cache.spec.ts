import { flights } from '@/lib/catalog';
import { toAtomic } from '@/lib/payments/money';
import { accountWith } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { payingFetch } from '../support/buyer';
import { expectChallenge, startAtomic } from '../support/expectations';
import { buyForm } from '../support/forms';
import { newEvmPayer } from '../support/payers';
import { type SharedCache, startSharedCache } from '../support/shared-cache';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

// Between the clients and the service is a shared cache that stores everything that it may (RFC 9111).

const price = toAtomic(flights.offer.price);

let cache: SharedCache;
test.beforeAll(async () => {
  cache = await startSharedCache(stack().apiUrl);
});
test.afterAll(() => cache.close());

/** The URL of an offer, through the cache. */
async function anOffer(pay: typeof fetch): Promise<string> {
  const departureDate = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10);
  const found = await pay(`${cache.url}${flights.search.paths.x402}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ origin: 'LIS', destination: 'LON', departureDate }),
  });
  const { results } = flights.search.output.parse(await found.json());
  return `${cache.url}/v1/flights/offers/${results[0]?.id}`;
}

test('a document that is for everybody comes from a shared cache', async () => {
  const before = cache.answered();
  const [first, second] = [
    await fetch(`${cache.url}/openapi.json`),
    await fetch(`${cache.url}/openapi.json`),
  ];
  expect(await second.json()).toEqual(await first.json());
  expect(cache.answered()).toBe(before + 1);
});

test('a shared cache gives nobody what another one paid for, and everybody a challenge of their own', async () => {
  const buyer = await newEvmPayer(startAtomic, ['base']);
  const pay = payingFetch(buyer, 'base');
  const url = await anOffer(pay);
  const spent = startAtomic - (await balanceOf(buyer, 'base'));
  const bought = await pay(url);
  expect(bought.status).toBe(200);
  await expectChallenge(await fetch(url), /./);
  await expectChallenge(await fetch(url), /./);
  const other = await newEvmPayer(startAtomic, ['base']);
  const again = await payingFetch(other, 'base')(url);
  expect(again.status).toBe(200);
  expect(again.headers.get('payment-response')).not.toBe(bought.headers.get('payment-response'));
  expect(await balanceOf(buyer, 'base')).toBe(startAtomic - spent - price);
  expect(await balanceOf(other, 'base')).toBe(startAtomic - price);
});

test('a shared cache stores no answer that is for one client: accounts, statuses of calls, responses to forms', async () => {
  const account = await accountWith('1');
  const form = await buyForm();
  for (const [path, token] of [
    ['/v1/account', account.token],
    ['/v1/account/transactions', account.token],
    [new URL(form.responsesUrl).pathname, form.readToken],
  ] as const) {
    const own = await fetch(`${cache.url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    const strangers = await fetch(`${cache.url}${path}`);
    expect([path, own.status, strangers.status]).toEqual([path, 200, 401]);
  }
  const pay = payingFetch(await newEvmPayer(startAtomic, ['base']), 'base');
  const bought = await pay(await anOffer(pay));
  const status = await fetch(`${cache.url}/v1/paid-calls/${bought.headers.get('paid-call-id')}`);
  expect(status.status).toBe(200);
  const isForEverybody = (stored: string) => stored === 'GET /openapi.json';
  expect(cache.stored().filter((stored) => !isForEverybody(stored))).toEqual([]);
});
