import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { flights } from '@/lib/catalog';
import { flightOffer } from '@/lib/services/flights/offer';
import { flightSearch } from '@/lib/services/flights/search-flights';
import { failingDay } from '@/local/sandbox/duffel';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { type Adapters, failureOf, openAdapters, startAdapters } from './adapters';

let adapters: Adapters;
test.beforeAll(async () => {
  adapters = await startAdapters();
});
test.afterAll(() => adapters.stop());

const search = (body: object) =>
  adapters.deliver(flightSearch, { origin: 'LIS', destination: 'LON', departureDate: '2098-03-04', ...body });
const details = (id: string) => adapters.prepare(flightOffer, { id });
const busy = { origin: 'JFK', destination: 'MAD', returnDate: '2098-03-14' };

test('an offer that is gone is not found, although Duffel calls that an error of the airline', async () => {
  expect(await failureOf(details('off_sandbox-fails-gone'))).toMatchObject({ code: 'offer_not_found' });
  expect(await failureOf(details('off_sandbox-fails-not-found'))).toMatchObject({ code: 'offer_not_found' });
  // Other errors of the airline pass.
  expect(await failureOf(details('off_sandbox-fails-airline'))).toMatchObject({
    code: 'provider_unavailable',
  });
});

test('days for which no airline sells seats yet are refused before payment', async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const live = openAdapters({ ...adapters.settings, DUFFEL_API_KEY: 'duffel_live_key' });
  const admit = (dates: object) =>
    failureOf(live.admit(flightSearch, { origin: 'LIS', destination: 'LON', ...dates }));
  expect(await admit({ departureDate: inDays(365) })).toMatchObject({ code: 'invalid_input' });
  const back = { departureDate: inDays(10), returnDate: inDays(365) };
  expect(await admit(back)).toMatchObject({ code: 'invalid_input' });
  await live.admit(flightSearch, { origin: 'LIS', destination: 'LON', departureDate: inDays(360) });
});

test('a busy route gives its cheapest offers from one page of ten thousand', async () => {
  const before = await adapters.asked('/duffel/air/offers ');
  const { results, warnings } = await search(busy);
  expect(results).toHaveLength(50);
  const amounts = results.map(({ totalPrice }) => Number(totalPrice));
  expect(amounts).toEqual(amounts.toSorted((one, other) => one - other));
  // Of ten thousand prices between 40 and 940, fifty are this low.
  expect(amounts.at(-1)).toBeLessThan(60);
  expect(warnings ?? []).not.toContainEqual(expect.stringContaining('looked at'));
  expect(await adapters.asked('/duffel/air/offers ')).toBe(before + 1);
});

test('more pages are read only while a filter leaves too few offers, and none beyond maxPrice', async () => {
  const before = await adapters.asked('/duffel/air/offers ');
  const { results } = await search({ ...busy, maxPrice: 100, currency: 'USD' });
  expect(results).toHaveLength(50);
  for (const { currency, totalPrice } of results) {
    expect(currency).toBe('USD');
    expect(Number(totalPrice)).toBeLessThanOrEqual(100);
  }
  // One offer in six is in dollars, so fifty are among the first four hundred.
  expect((await adapters.asked('/duffel/air/offers ')) - before).toBeLessThanOrEqual(3);
  const dear = await search({ ...busy, maxPrice: 1 });
  expect(dear.results).toEqual([]);
  expect(await adapters.asked('/duffel/air/offers ')).toBeLessThanOrEqual(before + 4);
});

test('a page that fails leaves the offers of the pages before it', async () => {
  const wishes = { ...busy, departureDate: failingDay('second-page'), returnDate: undefined };
  const { results, warnings } = await search({ ...wishes, maxPrice: 100_000, currency: 'USD' });
  expect(results.length).toBeGreaterThan(0);
  expect(results.length).toBeLessThan(50);
  expect(warnings).toContain('Only the cheapest offers were looked at.');
});

test('a list of offers that fails, or has none that can be read, fails the search', async () => {
  const reasons = {
    'list-internal': 'provider_error',
    'no-offers': 'unusable_response',
    'odd-offers': 'unusable_response',
  };
  for (const [name, reason] of Object.entries(reasons)) {
    const failure = await failureOf(search({ departureDate: failingDay(name) }));
    expect(failure, name).toEqual({ code: 'upstream_failed', reason });
    await search({});
  }
});

test('an offer that cannot be read is left out, and the answer says so', async () => {
  const { results, warnings } = await search({ departureDate: failingDay('one-odd-offer') });
  expect(results).toHaveLength(23);
  expect(warnings).toContain('1 offer was left out as unreadable.');
});

test('a search that reads ten thousand offers takes less than 100 MB of memory', fullOnly, async () => {
  const program = fileURLToPath(new URL('search-memory.ts', import.meta.url));
  // No offer is in this currency, so every page is read.
  const body = { ...busy, departureDate: '2098-03-04', maxPrice: 100_000, currency: 'CHF' };
  const before = await adapters.asked('/duffel/air/offers ');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', program, JSON.stringify(body)],
    // The tests' own options let garbage grow, to save time.
    { env: { ...process.env, ...adapters.settings, NODE_OPTIONS: '' } },
  );
  expect(await adapters.asked('/duffel/air/offers ')).toBe(before + 51);
  const { grownBytes } = JSON.parse(stdout) as { grownBytes: number };
  expect(grownBytes).toBeLessThan(100_000_000);
});

test('a place that is two connections away has offers', async () => {
  const { results } = await search({ destination: 'IPC' });
  expect(results.length).toBeGreaterThan(0);
  for (const { itineraries } of results) expect(itineraries[0]?.segments).toHaveLength(3);
  expect((await search({ destination: 'IPC', nonStop: true })).results).toEqual([]);
});

test('the details of every kind of offer say nothing that the airline did not leave open', async () => {
  const { results } = await search({});
  for (const { id } of results) {
    const offer = flights.offer.output.parse(await details(id));
    for (const { conditions } of offer.itineraries)
      expect(conditions?.description ?? '').not.toContain('A refund before departure');
  }
});
