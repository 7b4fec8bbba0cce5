import { flights } from '@/lib/catalog';
import { type ErrorCode, errors } from '@/lib/catalog/errors/codes';
import { failingDay } from '@/local/sandbox/duffel';
import { expect, test } from './fixtures';
import { callsOf, transfersOf } from './rig/found';
import { type Answer, ask, persist, sign, signMpp } from './rig/requests';
import type { Rig, Wallet } from './rig/rig';

/** What the caller of a search is told when Duffel fails: the code, and the reason of a rejection. */
type Told = readonly [code: 'upstream_rejected' | 'upstream_failed', reason?: string];

/** Failures after which Duffel is still called as before, by their names in the sandbox. */
const passing: Readonly<Record<string, Told>> = {
  validation: ['upstream_rejected', 'validation_required'],
  gone: ['upstream_rejected', 'offer_no_longer_available'],
  airline: ['upstream_failed', 'provider_error'],
  internal: ['upstream_failed', 'provider_error'],
  'bad-gateway': ['upstream_failed', 'provider_error'],
  unavailable: ['upstream_failed', 'provider_error'],
  'gateway-timeout': ['upstream_failed', 'provider_error'],
  'no-words': ['upstream_failed', 'provider_error'],
  'no-data': ['upstream_failed', 'unusable_response'],
  'no-id': ['upstream_failed', 'unusable_response'],
  'list-internal': ['upstream_failed', 'provider_error'],
  'no-offers': ['upstream_failed', 'unusable_response'],
  'odd-offers': ['upstream_failed', 'unusable_response'],
  drop: ['upstream_failed', 'connection_lost'],
  cut: ['upstream_failed', 'connection_lost'],
  text: ['upstream_failed', 'unusable_response'],
  array: ['upstream_failed', 'unusable_response'],
  redirect: ['upstream_failed', 'unusable_response'],
  flood: ['upstream_failed', 'unusable_response'],
};

const bodyFor = (name: string) =>
  JSON.stringify({ origin: 'LIS', destination: 'LON', departureDate: failingDay(name) });

async function signSearch(rig: Rig, wallet: Wallet, name: string, index: number) {
  const order = { path: '/flights/search', body: bodyFor(name) };
  return (index % 2 === 0 ? sign : signMpp)(rig, wallet, order, 'base');
}

/** One line: what the caller was told, and what the ledger says about the money. */
async function outcomeOf(rig: Rig, name: string, { status, body: { error } }: Answer) {
  const [call] = await rig.query<{ state: string; postings: string }>(
    `SELECT state::text, (SELECT string_agg(kind, ' ' ORDER BY id) FROM posting WHERE paid_call_id = paid_call.id) AS postings
     FROM paid_call WHERE id = $1`,
    [error?.paidCallId],
  );
  const isDiscreet = !JSON.stringify(error).includes('secret');
  return {
    name,
    status,
    code: error?.code,
    reason: error?.reason,
    payment: error?.payment,
    isDiscreet,
    ...call,
  };
}

function expectedOf(name: string, [code, reason]: Told) {
  const { status } = errors[code];
  return {
    ...{ name, status, code, reason },
    payment: 'kept',
    isDiscreet: true,
    state: 'kept',
    postings: 'settled kept',
  };
}

test('every failure that Duffel documents ends a search as kept with 422 or 502, and is replayed unchanged', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer(100_000_000n);
  const names = Object.keys(passing);
  const signed = await Promise.all(names.map((name, index) => signSearch(rig, wallet, name, index)));
  const outcomes = await Promise.all(
    signed.map(async (request, index) => outcomeOf(rig, names[index] ?? '', await persist(request))),
  );
  expect(outcomes).toEqual(Object.entries(passing).map(([name, told]) => expectedOf(name, told)));
  const again = await Promise.all(
    signed.map(async (request, index) => outcomeOf(rig, names[index] ?? '', await ask(request))),
  );
  expect(again).toEqual(outcomes);
  expect(await rig.audit()).toEqual([]);
});

test('a problem with our account or rate limit keeps one payment, then refuses searches and offers uncharged', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer(100_000_000n);
  const offer = (id: string) => sign(rig, wallet, { path: `/flights/offers/${id}`, method: 'GET' });
  const expectTurnedAway = ({ status, body, headers }: Answer) => {
    const code: ErrorCode = 'provider_unavailable';
    expect(status).toBe(503);
    expect(body.error).toMatchObject({ code, payment: 'none' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  };
  // After its rate limit, Duffel is called again by itself. After a failure of our key, it is not called for a minute.
  for (const [index, name] of ['rate-limit', 'key'].entries()) {
    await rig.restart();
    const failing = await signSearch(rig, wallet, name, index);
    const answer = await persist(failing);
    expect(await outcomeOf(rig, name, answer)).toEqual(
      expectedOf(name, ['upstream_failed', 'provider_error']),
    );
  }
  expectTurnedAway(await ask(await signSearch(rig, wallet, 'nothing', 0)));
  expectTurnedAway(await ask(await offer('off_1')));
  await rig.restart();
  for (const id of ['off_sandbox-fails-permission', 'off_1']) expectTurnedAway(await ask(await offer(id)));
  const rows = await callsOf(rig, wallet.address);
  expect(rows.map(({ state }) => state)).toEqual(['kept', 'kept', 'refused']);
  expect(await rig.audit()).toEqual([]);
  await rig.kill();
});

test('searches that Duffel no longer accepts keep one payment, then refuse searches and no offers', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer(100_000_000n);
  for (const [index, name] of ['malformed', 'not-found', 'not-acceptable'].entries()) {
    await rig.restart();
    const answer = await persist(await signSearch(rig, wallet, name, index));
    expect(await outcomeOf(rig, name, answer)).toEqual(
      expectedOf(name, ['upstream_failed', 'provider_error']),
    );
    const next = await ask(await signSearch(rig, wallet, 'nothing', 0));
    expect(next.body.error).toMatchObject({ code: 'provider_unavailable', payment: 'none' });
    const gone = await ask(await sign(rig, wallet, { path: '/flights/offers/off_0', method: 'GET' }));
    expect(gone.body.error).toMatchObject({ code: 'offer_not_found', payment: 'none' });
  }
  await rig.kill();
});

test('without Duffel its routes get 503 and are in no price list; airports and links still work', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const search = await signSearch(rig, wallet, 'nothing', 0);
  const offer = await sign(rig, wallet, { path: '/flights/offers/off_1', method: 'GET' });
  await rig.restart({ DUFFEL_API_KEY: '' });
  try {
    for (const request of [search, offer]) {
      const unpaid = await fetch(request.url, { method: request.init.method });
      expect(unpaid.status).toBe(503);
      expect(unpaid.headers.get('payment-required')).toBeNull();
      const { status, body } = await ask(request);
      expect(status).toBe(503);
      expect(body.error).toMatchObject({ code: 'provider_unconfigured', payment: 'none' });
    }
    const { prices } = await (await fetch(`${rig.apiUrl}/v1/tools/prices`)).json();
    expect(Object.keys(prices)).toContain('airportSearch');
    for (const { priceName } of [flights.search, flights.offer]) {
      expect(Object.keys(prices)).not.toContain(priceName);
    }
    const body = JSON.stringify({ query: 'porto' });
    const found = await persist(await sign(rig, wallet, { path: '/airports/search', body }));
    expect(found.status).toBe(200);
    const links = await fetch(`${rig.apiUrl}/v1/tools/flight-booking-links`, {
      method: 'POST',
      body: JSON.stringify({ origin: 'LIS', destination: 'OPO', departureDate: '2027-03-04' }),
    });
    expect(links.status).toBe(200);
  } finally {
    await rig.kill();
  }
});

test('a payment that could not be used, sent again after another one has bought the same under its key, gets what that bought', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  // An offer ID in the format of the sandbox: it contains the search, so that the sandbox can recreate the offer.
  const id = `off_${Buffer.from('LISLON2098-03-04  economy 1 0').toString('base64url')}`;
  const signOffer = async () => {
    const request = await sign(rig, wallet, { path: `/flights/offers/${id}`, method: 'GET' });
    const headers = { ...request.init.headers, 'Idempotency-Key': 'a-key-of-my-own' };
    return { ...request, init: { ...request.init, headers } };
  };
  await rig.restart({ DUFFEL_BASE_URL: 'http://127.0.0.1:9' });
  const unused = await signOffer();
  expect((await ask(unused)).body.error).toMatchObject({ code: 'provider_unavailable', payment: 'none' });
  await rig.restart();
  const bought = await ask(await signOffer());
  expect(bought.status).toBe(200);
  const again = await ask(unused);
  expect([again.status, again.body]).toEqual([200, bought.body]);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});
