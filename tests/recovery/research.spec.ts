import { randomUUID } from 'node:crypto';
import { errors } from '@/lib/catalog/errors/codes';
import { toAtomic } from '@/lib/payments/money';
import { exaFailures } from '@/local/sandbox/exa';
import { firecrawlFailures } from '@/local/sandbox/firecrawl';
import { serperFailures } from '@/local/sandbox/serper';
import { expectLogged } from '../support/logged';
import { askedProviders, researchOperations } from '../support/research';
import { bodyFor, closing, type Failing, limiting, passing, withdrawing } from './faults/provider-failures';
import { expect, test } from './fixtures';
import { callsOf, transfersOf, untilState } from './rig/found';
import { type Answer, ask, persist, type SignedRequest, sign, signMpp } from './rig/requests';
import type { Rig, Wallet } from './rig/rig';
import { until } from './rig/waiting';

interface Signed {
  readonly failing: Failing;
  readonly mark: string;
  readonly request: SignedRequest;
}

async function signFailing(rig: Rig, wallet: Wallet, failing: Failing, index: number): Promise<Signed> {
  const mark = randomUUID();
  const order = { path: failing.route, body: JSON.stringify(bodyFor(failing.route, failing.name, mark)) };
  const request = await (index % 2 === 0 ? sign : signMpp)(rig, wallet, order, 'base');
  return { failing, mark, request };
}

test('the tables list every failure that the sandbox providers can produce', () => {
  const failures = { exa: exaFailures, firecrawl: firecrawlFailures, serper: serperFailures };
  const told = [...passing, ...limiting, ...withdrawing, ...closing.flat()];
  for (const [provider, known] of Object.entries(failures)) {
    const names = told.filter((failing) => failing.provider === provider).map(({ name }) => name);
    expect(Object.keys(known).filter((name) => !names.includes(name))).toEqual([]);
  }
});

/** One line for a failure: what the caller was told, what the ledger says, and who paid what. */
async function outcomeOf(rig: Rig, { failing, mark, request }: Signed, answer: Answer) {
  const { error } = answer.body;
  const [call] = await rig.query(
    `SELECT state::text, answer_status, (SELECT string_agg(kind, ' ' ORDER BY id) FROM posting WHERE paid_call_id = paid_call.id) AS postings
     FROM paid_call WHERE id = $1`,
    [error?.paidCallId],
  );
  return {
    what: `${failing.provider} ${failing.route} ${failing.name}`,
    status: answer.status,
    code: error?.code,
    reason: error?.reason,
    payment: error?.payment,
    retry: error?.retry,
    isSameId: error?.paidCallId === answer.headers.get('paid-call-id'),
    hasReceipt: answer.headers.has('payment-response') === (request.rail === 'x402'),
    isDiscreet: !JSON.stringify(answer.body).includes('secret'),
    asked: await askedProviders(mark),
    ...call,
  };
}

function expectedOf({ provider, route, name, code, reason }: Failing) {
  return {
    what: `${provider} ${route} ${name}`,
    status: errors[code].status,
    code,
    reason,
    payment: 'kept',
    retry: 'stop',
    isSameId: true,
    hasReceipt: true,
    isDiscreet: true,
    asked: 1,
    state: 'kept',
    answer_status: errors[code].status,
    postings: 'settled kept',
  };
}

test('every documented provider failure ends as kept with 422 or 502, calls the provider once, and is replayed without another call', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer(100_000_000n);
  const signed: Signed[] = [];
  for (const [index, failing] of passing.entries())
    signed.push(await signFailing(rig, wallet, failing, index));
  const outcomes = await Promise.all(
    signed.map(async (one) => outcomeOf(rig, one, await persist(one.request))),
  );
  expect(outcomes).toEqual(passing.map(expectedOf));
  const again = await Promise.all(signed.map(async (one) => outcomeOf(rig, one, await ask(one.request))));
  expect(again).toEqual(outcomes);
  expect(await transfersOf(rig, wallet.address)).not.toEqual([]);
  expect(await rig.audit()).toEqual([]);
});

test('a rate-limited provider keeps one payment and is called again after its Retry-After', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  for (const [index, failing] of limiting.entries()) {
    const one = await signFailing(rig, wallet, failing, index);
    expect(await outcomeOf(rig, one, await persist(one.request))).toEqual(expectedOf(failing));
    const next = await signFailing(rig, wallet, { ...failing, name: 'none' }, index);
    // Until the time is over, it costs nothing to ask.
    await until('the provider is called again', async () => (await ask(next.request)).status === 200);
  }
  expect(await rig.audit()).toEqual([]);
});

test('a plan without an operation, and an API that changed, keep one payment and refuse only this operation', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const others = { exa: '/neural/contents', firecrawl: '/crawl/search', serper: '/serp/images' };
  for (const [index, failing] of withdrawing.entries()) {
    await rig.restart();
    const one = await signFailing(rig, wallet, failing, index);
    expect(await outcomeOf(rig, one, await persist(one.request))).toEqual(expectedOf(failing));
    const next = await signFailing(rig, wallet, { ...failing, name: 'none' }, index);
    expect((await ask(next.request)).body.error, failing.name).toMatchObject({
      code: 'provider_unavailable',
      payment: 'none',
    });
    const route = others[failing.provider];
    const other = await signFailing(rig, wallet, { ...failing, route, name: 'none' }, index);
    expect((await persist(other.request)).status, failing.name).toBe(200);
    await expectLogged(rig.server(), /"level":50[^\n]*ALARM/);
  }
  await rig.kill();
});

test('a problem with our account keeps one payment, then refuses calls uncharged', async ({ rig }) => {
  const wallet = await rig.newEvmPayer();
  for (const round of closing) {
    await rig.restart();
    for (const [index, failing] of round.entries()) {
      const one = await signFailing(rig, wallet, failing, index);
      const next = await signFailing(rig, wallet, { ...failing, name: 'none' }, index);
      expect(await outcomeOf(rig, one, await persist(one.request))).toEqual(expectedOf(failing));
      const turnedAway = await ask(next.request);
      expect(turnedAway.status).toBe(503);
      expect(turnedAway.body.error).toMatchObject({ code: 'provider_unavailable', payment: 'none' });
      expect(Number(turnedAway.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await askedProviders(next.mark)).toBe(0);
      expect(await ask(one.request), 'who has paid is still told').toMatchObject({ status: 502 });
    }
  }
  // Killed, so that other tests do not find the providers closed.
  await rig.kill();
  const rows = await callsOf(rig, wallet.address);
  expect(rows.map(({ state }) => state)).toEqual(closing.flat().map(() => 'kept'));
});

test('a key that the provider rejects raises an alarm in the log, without the key', async ({ rig }) => {
  await rig.restart({ EXA_API_KEY: 'sandbox_wrong_key', LOG_LEVEL: 'info' });
  try {
    const wallet = await rig.newEvmPayer();
    const body = JSON.stringify({ query: 'the words of the caller' });
    const answer = await persist(await sign(rig, wallet, { path: '/neural/search', body }));
    expect(answer.status).toBe(502);
    await expectLogged(rig.server(), /"level":50[^\n]*"provider":"exa"[^\n]*"kind":"account"[^\n]*ALARM/);
    const log = rig.server().output();
    for (const secret of ['sandbox_wrong_key', 'the words of the caller', 'secret'])
      expect(log).not.toContain(secret);
  } finally {
    await rig.kill();
  }
});

test('without a provider its routes get 503 uncharged and are in no price list; our own reader still reads pages', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const byOthers = researchOperations.filter(({ providers }) => !providers?.includes('reader'));
  const signed = await Promise.all(
    byOthers.flatMap(({ paths, minimalBody }) =>
      [sign, signMpp].map(async (signIt) => {
        const order = { path: paths.x402.slice(3), body: JSON.stringify(minimalBody) };
        return signIt(rig, wallet, order, 'base');
      }),
    ),
  );
  const paid = signed[0];
  if (!paid) throw new Error('there is no research');
  expect((await persist(paid)).status).toBe(200);
  await rig.restart({ EXA_API_KEY: '', FIRECRAWL_API_KEY: '', SERPER_API_KEY: '', CHROMIUM_PATH: '' });
  try {
    for (const request of signed.slice(1)) {
      const unpaid = await fetch(request.url, { method: 'POST' });
      expect(unpaid.status, request.url).toBe(503);
      for (const name of ['payment-required', 'www-authenticate'])
        expect(unpaid.headers.get(name)).toBeNull();
      expect((await unpaid.json()).error).toMatchObject({ code: 'provider_unconfigured', payment: 'none' });
      const answer = await ask(request);
      expect(answer.status, request.url).toBe(503);
      expect(answer.body.error).toMatchObject({ code: 'provider_unconfigured', payment: 'none' });
    }
    expect((await ask(paid)).status, 'what was bought before is still told').toBe(200);
    const { prices } = await (await fetch(`${rig.apiUrl}/v1/tools/prices`)).json();
    expect(Object.keys(prices)).toContain('upload');
    const listed = researchOperations.filter(({ priceName }) => Object.hasOwn(prices, priceName));
    expect(listed.map(({ id }) => id)).toEqual(['neural.contents', 'crawl.scrape']);
    expect(await callsOf(rig, wallet.address)).toHaveLength(1);
  } finally {
    await rig.kill();
  }
});

/** A paid search whose server died after the provider was called and before the outcome was recorded. */
async function dieWhileAsking(rig: Rig): Promise<{ request: SignedRequest; mark: string; wallet: Wallet }> {
  // A new server has no provider that is closed because of another test.
  await rig.restart();
  const mark = randomUUID();
  const wallet = await rig.newEvmPayer();
  const body = JSON.stringify({ url: `https://sandbox-fails-hang.example.com/${mark}` });
  const request = await sign(rig, wallet, { path: '/crawl/scrape', body });
  const first = ask(request).catch(() => null);
  const tooEarly = first.then((answer) => {
    throw new Error(
      `answered before the provider was asked: ${answer?.status} ${JSON.stringify(answer?.body)}`,
    );
  });
  tooEarly.catch(() => undefined);
  const isAsked = until('the provider is asked', async () => (await askedProviders(mark)) === 1);
  await Promise.race([isAsked, tooEarly]);
  await rig.kill();
  await first;
  return { request, mark, wallet };
}

test('after a kill during a provider call, recovery does not repeat it; a retry does, and after a day the call is on the worklist', async ({
  rig,
}) => {
  const { mark, wallet, request } = await dieWhileAsking(rig);
  await rig.passTakeoverTime();
  await rig.start();
  const left = await until(
    'recovery has looked at it',
    async () => {
      const [row] = await rig.query<{ state: string; hours: number }>(
        `SELECT state::text, extract(epoch FROM attempt_at - moved_at)::float8 / 3600 AS hours FROM paid_call
         WHERE payer = $1 AND worked_by IS NULL`,
        [wallet.address],
      );
      return row && row.hours > 1 ? row : null;
    },
    60_000,
  );
  expect(left.state).toBe('settled');
  expect(left.hours).toBeCloseTo(24, 2);
  expect(await askedProviders(mark)).toBe(1);

  const abort = new AbortController();
  const second = ask(request, abort.signal).catch(() => null);
  await until(
    'the client has it asked',
    async () => ((await askedProviders(mark)) === 2 ? true : null),
    30_000,
  );
  await rig.kill();
  abort.abort();
  await second;

  await rig.query(
    "UPDATE paid_call SET moved_at = moved_at - interval '25 hours', attempt_at = now() WHERE payer = $1",
    [wallet.address],
  );
  await rig.passTakeoverTime();
  await rig.start();
  await untilState(rig, wallet.address, 'needs_attention', 60_000);
  expect(await askedProviders(mark)).toBe(2);
  const told = await ask(request);
  expect(told.body.error).toMatchObject({ code: 'delivery_needs_attention', payment: 'kept', retry: 'stop' });
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('when the end of a call is lost, x402 gets 409 and MPP 503, and the same request finishes it', async ({
  rig,
}) => {
  for (const [signIt, code] of [
    [sign, 'delivery_requires_reconciliation'],
    [signMpp, 'delivery_pending'],
  ] as const) {
    const wallet = await rig.newEvmPayer();
    const body = JSON.stringify({ q: `lighthouse ${randomUUID()}` });
    const request = await signIt(rig, wallet, { path: '/serp/search', body }, 'base');
    const lost = rig.database.loseAnswerTo('answer_status = asked.status');
    const first = await ask(request);
    await lost;
    expect(first.status).toBe(errors[code].status);
    expect(first.body.error).toMatchObject({ code, payment: 'kept', retry: 'same_request' });
    expect((await persist(request)).status).toBe(200);
    expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  }
  expect(await rig.audit()).toEqual([]);
});

test('an unknown settlement gets 409 over x402 and 503 over MPP', async ({ rig }) => {
  for (const [signIt, code] of [
    [sign, 'payment_requires_reconciliation'],
    [signMpp, 'settlement_pending'],
  ] as const) {
    const wallet = await rig.newEvmPayer();
    const body = JSON.stringify({ q: `lighthouse ${randomUUID()}` });
    const request = await signIt(rig, wallet, { path: '/serp/search', body }, 'base');
    const lost = rig.database.loseAnswerTo('INSERT INTO paid_call (');
    const first = await ask(request);
    await lost;
    expect(first.status).toBe(errors[code].status);
    expect(first.body.error).toMatchObject({ code, payment: 'unknown', retry: 'same_request' });
    expect(first.headers.get('retry-after')).toBeTruthy();
    const last = await persist(request);
    expect(last.status).toBe(200);
    expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  }
  expect(await rig.audit()).toEqual([]);
});

test('the prices of the ten routes are those of the price list', async ({ rig }) => {
  const { prices } = await (await fetch(`${rig.apiUrl}/v1/tools/prices`)).json();
  for (const { priceName, price } of researchOperations)
    expect(prices[priceName].amountUsdcAtomic).toBe(toAtomic(price).toString());
});
