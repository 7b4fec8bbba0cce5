import { randomUUID } from 'node:crypto';
import { flights } from '@/lib/catalog';
import { toAtomic } from '@/lib/payments/money';
import { failingDay } from '@/local/sandbox/duffel';
import { accountWith } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { envelopeFor, payingFetch, paymentHeader } from '../support/buyer';
import { callsOf } from '../support/database';
import { expectError, expectUntouched, startAtomic } from '../support/expectations';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

const post = (body: object, more: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...more },
  body: JSON.stringify(body),
});
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const least = { origin: 'LIS', destination: 'LON', departureDate: inDays(60) };
const searchPrice = toAtomic(flights.search.price);
const searchUrl = () => `${stack().apiUrl}${flights.search.paths.x402}`;
const offerUrl = (id: string) => `${stack().apiUrl}/v1/flights/offers/${id}`;

const full = {
  ...least,
  returnDate: inDays(70),
  adults: 2,
  children: 1,
  infants: 1,
  travelClass: 'BUSINESS',
  nonStop: true,
  maxResults: 3,
  maxPrice: 100_000,
  currency: 'EUR',
};

test('both official clients buy a search with a minimal and a full body, at exactly its price', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const x402 = payingFetch(wallet, 'base');
  const mpp = mppClient(wallet, 'base').fetch;
  for (const body of [least, full]) {
    const one = await x402(searchUrl(), post(body));
    const other = await mpp(`${stack().apiUrl}/v1/mpp/flights/search?network=base`, post(body));
    for (const answer of [one, other]) {
      expect(answer.status, await answer.clone().text()).toBe(200);
      expect(answer.headers.get('sandbox')).toBe('true');
    }
    expect(one.headers.get('payment-response')).toBeTruthy();
    expect(other.headers.get('payment-receipt')).toBeTruthy();
    const told = flights.search.output.parse(await one.json());
    expect(told.results.length).toBeGreaterThan(0);
    expect(told.results).toEqual((await other.json()).results);
    const amounts = told.results.map(({ totalPrice }) => Number(totalPrice));
    expect(amounts).toEqual([...amounts].sort((cheaper, dearer) => cheaper - dearer));
  }
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 4n * searchPrice);
});

test('nonStop, maxResults, maxPrice, currency and returnDate filter the result', async () => {
  const wallet = await newSolanaPayer(startAtomic);
  const answer = await payingFetch(wallet, 'solana-mainnet')(searchUrl(), post(full));
  const { results, meta } = flights.search.output.parse(await answer.json());
  expect(results).toHaveLength(3);
  expect(meta.resultCount).toBe(3);
  for (const { itineraries, currency } of results) {
    expect(currency).toBe('EUR');
    expect(itineraries).toHaveLength(2);
    for (const { segments } of itineraries) expect(segments).toHaveLength(1);
    expect(itineraries[0]?.segments[0]?.departure.airportCode).toBe('LIS');
    expect(itineraries[1]?.segments[0]?.departure.airportCode).toBe('LON');
  }
});

test('an empty result has a warning', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const body = { ...least, departureDate: failingDay('nothing') };
  const answer = await payingFetch(wallet, 'base')(searchUrl(), post(body));
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    results: [],
    meta: { resultCount: 0 },
    warnings: ['No offers were found for this search.'],
  });
});

test('the details of an offer can be bought by its ID', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const pay = payingFetch(wallet, 'base');
  const { results } = flights.search.output.parse(await (await pay(searchUrl(), post(full))).json());
  for (const found of results) {
    const answer = await pay(offerUrl(found.id));
    expect(answer.status, await answer.clone().text()).toBe(200);
    expect(answer.headers.get('payment-response')).toBeTruthy();
    const details = flights.offer.output.parse(await answer.json());
    expect(details).toMatchObject({
      id: found.id,
      totalPrice: found.totalPrice,
      currencyCode: found.currency,
      cabin: 'business',
      itineraries: found.itineraries,
    });
  }
  const spent = searchPrice + BigInt(results.length) * toAtomic(flights.offer.price);
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - spent);
});

test('HEAD of an offer is refused and charges nothing, over x402 and from an account, and GET charges once', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const found = await payingFetch(wallet, 'base')(searchUrl(), post(full));
  const { results } = flights.search.output.parse(await found.json());
  const id = results[0]?.id ?? '';
  const payment = paymentHeader(await envelopeFor(offerUrl(id), wallet, 'base', 'GET'));
  const { token } = await accountWith('1');
  const fromAccount = { Authorization: `Bearer ${token}`, 'Idempotency-Key': 'head' };
  const atAccount = `${stack().apiUrl}/v1/account/flights/offers/${id}`;
  for (const [url, headers] of [
    [offerUrl(id), payment],
    [offerUrl(id), {}],
    [atAccount, fromAccount],
  ] as const) {
    const answer = await fetch(url, { method: 'HEAD', headers });
    expect([url, answer.status, answer.headers.get('allow')]).toEqual([url, 405, 'GET, OPTIONS']);
    expect(answer.headers.get('payment-response')).toBeNull();
    const overridden = await fetch(url, {
      method: 'HEAD',
      headers: { ...headers, 'X-HTTP-Method-Override': 'GET' },
    });
    expect(overridden.status).toBe(405);
    expect((await fetch(url, { method: 'OPTIONS', headers })).status).toBe(204);
  }
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - searchPrice);
  const account = await fetch(`${stack().apiUrl}/v1/account`, { headers: fromAccount });
  expect((await account.json()).balance).toBe('1');
  expect((await fetch(offerUrl(id), { headers: payment })).status).toBe(200);
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - searchPrice - toAtomic(flights.offer.price));
});

test('an unknown or expired offer gets 404, an offer that cannot be fetched gets 503, and neither is charged', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const pay = payingFetch(wallet, 'base');
  const offers = {
    off_0000NobodyHasThis: 'offer_not_found',
    'not-an-offer': 'offer_not_found',
    'off_sandbox-fails-not-found': 'offer_not_found',
    'off_sandbox-fails-gone': 'offer_not_found',
    'off_sandbox-fails-validation': 'offer_not_found',
    'off_sandbox-fails-malformed': 'provider_unavailable',
    'off_sandbox-fails-airline': 'provider_unavailable',
    'off_sandbox-fails-internal': 'provider_unavailable',
    'off_sandbox-fails-bad-gateway': 'provider_unavailable',
    'off_sandbox-fails-unavailable': 'provider_unavailable',
    'off_sandbox-fails-gateway-timeout': 'provider_unavailable',
    'off_sandbox-fails-no-data': 'provider_unavailable',
    'off_sandbox-fails-drop': 'provider_unavailable',
    'off_sandbox-fails-cut': 'provider_unavailable',
    'off_sandbox-fails-text': 'provider_unavailable',
    'off_sandbox-fails-redirect': 'provider_unavailable',
  } as const;
  for (const [id, code] of Object.entries(offers)) {
    const error = await expectError(await pay(offerUrl(id)), code);
    expect(error.payment, id).toBe('none');
    expect(error.message, id).not.toContain('secret');
  }
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic);
});

test('offer IDs that could reach another path of the provider are refused', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const payment = paymentHeader(await envelopeFor(offerUrl('off_1'), wallet, 'base', 'GET'));
  for (const id of ['%2e%2e', 'off_1%2F..%2F..', 'off_1%3Fa=b', 'off%201', 'é', 'a'.repeat(257)]) {
    const answer = await fetch(offerUrl(id), { headers: payment });
    expect([400, 404], id).toContain(answer.status);
  }
  await expectUntouched(wallet, 'base');
});

test('a retry on a later day gets the same offers and pays nothing', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const pay = payingFetch(wallet, 'base');
  const init = post(least, { 'Idempotency-Key': randomUUID() });
  const first = await pay(searchUrl(), init);
  const again = await pay(searchUrl(), init);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await again.text()).toBe(await first.text());
  const other = await pay(searchUrl(), { ...post({ ...least, adults: 2 }), headers: init.headers });
  await expectError(other, 'idempotency_conflict');
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - searchPrice);
});

/** What makes a body wrong, and the field and the rule that the error names. */
const wrong: readonly [changes: object, path: string, rule: string | RegExp][] = [
  [{ origin: undefined }, 'origin', 'is required'],
  [{ origin: 'LISB' }, 'origin', /^must be /],
  [{ origin: 'L1S' }, 'origin', /^must be /],
  [
    { origin: 'QQQ' },
    'origin',
    'must be the IATA code of an airport or metropolitan area; airport search finds codes',
  ],
  [
    { destination: 'TXL' },
    'destination',
    'must be the IATA code of an airport or metropolitan area; airport search finds codes',
  ],
  [{ destination: 'LIS' }, 'destination', 'must differ from origin'],
  [{ destination: 'lis' }, 'destination', 'must differ from origin'],
  [{ departureDate: undefined }, 'departureDate', 'is required'],
  [{ departureDate: '2027-02-29' }, 'departureDate', 'must be a calendar date, YYYY-MM-DD'],
  [{ departureDate: '04/03/2027' }, 'departureDate', 'must be a calendar date, YYYY-MM-DD'],
  [{ departureDate: '2027-3-4' }, 'departureDate', 'must be a calendar date, YYYY-MM-DD'],
  [{ departureDate: '2027-03-04T00:00:00Z' }, 'departureDate', 'must be a calendar date, YYYY-MM-DD'],
  [{ departureDate: inDays(-3) }, 'departureDate', 'must not be in the past'],
  [{ departureDate: '1999-12-31' }, 'departureDate', 'must not be in the past'],
  [{ returnDate: inDays(59) }, 'returnDate', 'must not be before departureDate'],
  [{ returnDate: 'soon' }, 'returnDate', 'must be a calendar date, YYYY-MM-DD'],
  [{ adults: 0 }, 'adults', 'must be at least 1'],
  [{ adults: 10 }, 'adults', 'must be at most 9'],
  [{ adults: 1.5 }, 'adults', /^must be an integer/],
  [{ adults: '2' }, 'adults', 'must be a number'],
  [{ children: 10 }, 'children', 'must be at most 9'],
  [{ infants: 10 }, 'infants', 'must be at most 9'],
  [{ infants: -1 }, 'infants', 'must be at least 0'],
  [{ travelClass: 'economy' }, 'travelClass', /^must be one of: ECONOMY/],
  [{ nonStop: 'yes' }, 'nonStop', 'must be true or false'],
  [{ maxResults: 0 }, 'maxResults', 'must be at least 1'],
  [{ maxResults: 51 }, 'maxResults', 'must be at most 50'],
  [{ maxPrice: 0 }, 'maxPrice', 'must be more than 0'],
  [{ maxPrice: -1 }, 'maxPrice', 'must be more than 0'],
  [{ currency: 'EURO' }, 'currency', /^must be /],
  [{ currency: 'E1R' }, 'currency', /^must be /],
  [{ supplier_timeout: 60_000 }, 'supplier_timeout', 'is not a known field'],
];

test('an invalid search is refused before payment, with field and rule', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const payment = paymentHeader(await envelopeFor(searchUrl(), wallet, 'base'));
  for (const [changes, path, rule] of wrong) {
    const answer = await fetch(searchUrl(), post({ ...least, ...changes }, payment));
    const error = await expectError(answer, 'invalid_input');
    const words = JSON.stringify(changes);
    expect(error.issues?.[0]?.path, words).toBe(path);
    if (typeof rule === 'string') expect(error.issues?.[0]?.rule, words).toBe(rule);
    else expect(error.issues?.[0]?.rule, words).toMatch(rule);
  }
  await expectUntouched(wallet, 'base');
});

test('every group of passengers is searched for, unless the provider refuses it, which is not charged', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const search = async (changes: object) => {
    const payment = paymentHeader(await envelopeFor(searchUrl(), wallet, 'base'));
    return fetch(searchUrl(), post({ ...least, ...changes }, payment));
  };
  for (const group of [{ children: 9 }, { infants: 2 }, { adults: 9, children: 9, infants: 9 }])
    expect((await search(group)).status, JSON.stringify(group)).toBe(200);
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 150_000n);
  const refused = await search({ children: 9, departureDate: failingDay('validation') });
  await expectError(refused, 'passengers_refused');
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 150_000n);
});

test('a departure date is past only when it is past at the origin', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const pay = payingFetch(wallet, 'base');
  // Honolulu is behind UTC all year, Auckland ahead of it.
  for (const [origin, timeZone] of [
    ['HNL', 'Pacific/Honolulu'],
    ['AKL', 'Pacific/Auckland'],
  ] as const) {
    const departureDate = new Intl.DateTimeFormat('sv', { timeZone }).format(new Date());
    const answer = await pay(searchUrl(), post({ origin, destination: 'SYD', departureDate }));
    expect(answer.status, await answer.text()).toBe(200);
  }
  expect(await callsOf(wallet.address)).toBe(2);
});
