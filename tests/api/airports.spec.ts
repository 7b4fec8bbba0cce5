import { randomUUID } from 'node:crypto';
import { airports } from '@/lib/catalog';
import { toAtomic } from '@/lib/payments/money';
import { balanceOf } from '../support/balances';
import { envelopeFor, payingFetch, paymentHeader } from '../support/buyer';
import { expectError, expectUntouched, startAtomic } from '../support/expectations';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

const url = () => `${stack().apiUrl}/v1/airports/search`;
const ask = (body: unknown, more: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...more },
  body: JSON.stringify(body),
});

test('the official client buys a search at exactly its price, and the best match comes first', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const pay = payingFetch(wallet, 'base');
  const first: Record<string, string> = {
    london: 'LHR',
    LON: 'LHR',
    JFK: 'JFK',
    'são paulo': 'GRU',
    munchen: 'MUC',
    tokio: 'HND',
    'united kingdom': 'LHR',
  };
  for (const [query, code] of Object.entries(first)) {
    const answer = await pay(url(), ask({ query }));
    expect(answer.status, await answer.clone().text()).toBe(200);
    const told = airports.search.output.parse(await answer.json());
    expect(told.query).toBe(query);
    expect(told.meta.resultCount).toBe(told.airports.length);
    expect(told.airports[0], query).toMatchObject({
      iataCode: code,
      timeZone: expect.stringContaining('/'),
      coordinates: { lat: expect.any(Number), lng: expect.any(Number) },
    });
  }
  const spent = BigInt(Object.keys(first).length) * toAtomic(airports.search.price);
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - spent);
});

test('an empty result is charged, also on Solana', async () => {
  const wallet = await newSolanaPayer(startAtomic);
  const answer = await payingFetch(wallet, 'solana-mainnet')(url(), ask({ query: 'qqqqqqqqqqqqqqqq' }));
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ airports: [], meta: { resultCount: 0 } });
});

test('a retry gets the same response, including the time of the search', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const pay = payingFetch(wallet, 'base');
  const init = ask({ query: 'porto' }, { 'Idempotency-Key': randomUUID() });
  const first = await (await pay(url(), init)).text();
  expect(await (await pay(url(), init)).text()).toBe(first);
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - toAtomic(airports.search.price));
});

test('an invalid query is refused before payment, with field and rule', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const payment = paymentHeader(await envelopeFor(url(), wallet, 'base'));
  const cases: [body: unknown, path: string, rule: string][] = [
    [{}, 'query', 'is required'],
    [{ query: '' }, 'query', 'must not be empty'],
    [{ query: 'q'.repeat(101) }, 'query', 'must have at most 100 characters'],
    [{ query: 7 }, 'query', 'must be a string'],
    [{ query: ['LON'] }, 'query', 'must be a string'],
    [{ query: 'LON', limit: 3 }, 'limit', 'is not a known field'],
    [['LON'], 'body', 'must be an object'],
  ];
  for (const [body, path, rule] of cases) {
    const error = await expectError(await fetch(url(), ask(body, payment)), 'invalid_input');
    expect(error.issues?.[0], JSON.stringify(body)).toEqual({ path, rule });
    expect(error.example).toEqual(airports.search.minimalBody);
  }
  await expectUntouched(wallet, 'base');
});

test('there is no MPP route for airports or offers', async () => {
  for (const path of ['/v1/mpp/airports/search', '/v1/mpp/flights/offers/off_1']) {
    const method = path.endsWith('search') ? 'POST' : 'GET';
    await expectError(await fetch(`${stack().apiUrl}${path}`, { method }), 'not_found');
  }
});
