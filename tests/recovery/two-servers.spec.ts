import { expect, test as recoveryTest } from './fixtures';
import { contradictions } from './history/contradictions';
import { History } from './history/history';
import { callsOf, transfersOf, uploadsOf } from './rig/found';
import { newPayer, paymentMethods, signFor } from './rig/payment-methods';
import { ask, at, persist, sign } from './rig/requests';
import { everyNetwork, type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';

type Pair = readonly [Rig, Rig];

let kept: Pair;

const test = recoveryTest.extend<{ pair: Pair }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  pair: ({}, use) => use(kept),
});

test.setTimeout(300_000);
// In one worker: others would start servers of their own.
test.describe.configure({ mode: 'default' });

/** Two instances of one service on every network, with one database and one Solana fee payer, but separate EVM keys. */
test.beforeAll(async () => {
  const one = await startRig({ networks: everyNetwork });
  kept = [one, await startRig({ beside: one })];
});

test.afterAll(async () => {
  const [one, other] = kept;
  await other.close();
  await one.close();
});

test.beforeEach(async ({ pair: [one, other] }) => {
  // One after another: the first applies the migrations.
  await one.start();
  await other.start();
});

test('a hundred identical requests to two servers buy one upload and all get its one response', async ({
  pair: [one, other],
}) => {
  for (const on of ['base', 'solana-mainnet'] as const) {
    const sendings = on === 'base' ? 'eth_sendRawTransaction' : 'sendTransaction';
    // The same transaction may be broadcast again.
    const sent = new Set<unknown>();
    const rules = [one, other].map((rig) =>
      rig.proxy(on).on(sendings, ({ params: [transaction] }, forward) => {
        sent.add(transaction);
        return forward();
      }),
    );
    const wallet = await newPayer(one, { rail: 'x402', on });
    const request = await sign(one, wallet);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => persist(at((index % 2 === 0 ? one : other).apiUrl, request))),
    );
    // Lists what the unserved requests were told.
    expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual([]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    expect(await callsOf(one, wallet.address)).toHaveLength(1);
    await until('one transfer', async () => (await transfersOf(one, wallet.address)).length === 1);
    expect(await uploadsOf(one, wallet.address)).toHaveLength(1);
    expect(sent.size).toBe(1);
    for (const rule of rules) rule.remove();
  }
  expect(await one.audit()).toEqual([]);
});

test('one payment for fifty different requests to two servers buys one of them, and the others get a conflict', async ({
  pair: [one, other],
}) => {
  const wallet = await one.newEvmPayer();
  const request = await sign(one, wallet);
  const { body } = request.init;
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      ask({
        ...at((index % 2 === 0 ? one : other).apiUrl, request),
        init: { ...request.init, body: body?.replace('notes.txt', `notes-${index}.txt`) },
      }),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array(49).fill(409)]);
  const losers = answers.filter(({ status }) => status === 409);
  expect(new Set(losers.map((answer) => answer.body.error.code))).toEqual(new Set(['idempotency_conflict']));
  expect(await transfersOf(one, wallet.address)).toHaveLength(1);
  expect(await uploadsOf(one, wallet.address)).toHaveLength(1);
});

test('on both rails and every network, one server replays what was bought at the other', async ({
  pair: [one, other],
}) => {
  const history = new History();
  for (const payWith of paymentMethods) {
    const request = await signFor(payWith, one, await newPayer(one, payWith));
    const bought = await history.ask(request);
    expect(bought.status, `${payWith.rail} on ${payWith.on}`).toBe(200);
    const again = await history.ask(request, undefined, other.apiUrl);
    expect(again.body).toEqual(bought.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('paid-call-id')).toBe(bought.headers.get('paid-call-id'));
  }
  expect(await contradictions(one, history)).toEqual([]);
});

test('eight simultaneous renewals at two servers are charged four times, once for each that adds time', async ({
  pair: [one, other],
}) => {
  const wallet = await one.newEvmPayer();
  const { body } = await ask(await sign(one, wallet));
  const path = `/uploads/${body.id}/renew`;
  const requests = await Promise.all(Array.from({ length: 8 }, () => sign(one, wallet, { path })));
  const answers = await Promise.all(
    requests.map((request, index) => persist(at((index % 2 === 0 ? one : other).apiUrl, request))),
  );
  const renewed = answers.filter(({ status }) => status === 200);
  expect(renewed.map(({ body: { renewalCount } }) => renewalCount).sort()).toEqual([1, 2, 3, 4]);
  const refused = answers.filter((answer) => !renewed.includes(answer));
  expect(refused.map(({ status, body: { error } }) => [status, error.code])).toEqual(
    Array(4).fill([409, 'renewal_limit']),
  );
  expect(await transfersOf(one, wallet.address)).toHaveLength(5);
  expect(await one.audit()).toEqual([]);
});
