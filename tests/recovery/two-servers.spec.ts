import { isDeepStrictEqual } from 'node:util';
import { randomNumbers, seedOf } from '../support/random';
import { loseRequest } from '../support/rpc-proxy';
import { expect, test as recoveryTest } from './fixtures';
import { holdStatement } from './held-statement';
import { contradictions } from './history/contradictions';
import { History } from './history/history';
import { openCalls } from './history/ledger';
import { startBuyer } from './load';
import { lockDelivery } from './rig/delivery-lock';
import { callsOf, transfersOf, untilState, uploadsOf } from './rig/found';
import { newPayer, paymentMethods, signFor } from './rig/payment-methods';
import { ask, at, persist, sign } from './rig/requests';
import { everyNetwork, type Rig, startRig } from './rig/rig';
import { pause, until } from './rig/waiting';

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

test('a request that is settled at the other server during its verification waits for that response and gets no 402', async ({
  pair: [one, other],
}) => {
  const request = await sign(one, await one.newEvmPayer());
  const simulation = other.base.hold('eth_call', 'before');
  const loser = ask(at(other.apiUrl, request));
  await simulation.reached;
  const receipt = one.base.hold('eth_getTransactionReceipt', 'before');
  const winner = ask(request);
  await receipt.reached;
  // The payment is on the chain, but the ledger does not know yet.
  await until('a transfer', async () => (await transfersOf(one, request.payer)).length === 1);
  let isWaiting = false;
  other.database.intercept((statement) => {
    isWaiting ||= statement.includes('UPDATE paid_call SET worked_by');
    return null;
  });
  simulation.release();
  await until('the loser waits', async () => isWaiting);
  receipt.release();
  const [first, second] = await Promise.all([winner, loser]);
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.body).toEqual(first.body);
  expect(await transfersOf(one, request.payer)).toHaveLength(1);
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

test('a call that one server is at work on is left to it by the other, which says so', async ({
  pair: [one, other],
}) => {
  const request = await sign(one, await one.newEvmPayer());
  const lock = await lockDelivery(one, request.payer);
  const first = ask(request);
  await lock.reached();
  const workers = () => one.query('SELECT worked_by FROM paid_call WHERE payer = $1', [request.payer]);
  const before = await workers();
  const { status, body } = await ask(at(other.apiUrl, request));
  expect([status, body.error.code]).toEqual([409, 'payment_in_progress']);
  expect(await workers()).toEqual(before);
  await lock.release();
  expect((await first).status).toBe(200);
  expect((await ask(at(other.apiUrl, request))).body).toEqual((await first).body);
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

test('two servers share a mixed load on both rails and every network, and killing one at random moments loses nothing', async ({
  pair: [one, other],
}) => {
  const next = randomNumbers(seedOf('two servers'));
  const history = new History();
  const firstTransaction = await newestTransaction(one);
  const buyers = paymentMethods.map((payWith) => startBuyer([one, other], payWith, history));
  for (const victim of [one, other]) {
    await pause(1_000 + next() * 1_500);
    await victim.kill();
    await pause(next() * 500);
    await victim.start();
  }
  // Each key has sent on every EVM network, so the load is shared.
  const shared = ['arbitrum', 'base', 'polygon'].map((network) => ({ network, senders: '2' }));
  await until(
    'each server has sent on every network',
    async () => isDeepStrictEqual(await sendersSince(one, firstTransaction), shared),
    90_000,
  );
  for (const buyer of buyers) buyer.stop();
  await Promise.all(buyers.map(({ ended }) => ended));
  await until('nothing is open', async () => (await openCalls(one)).length === 0, 60_000);
  expect(await contradictions(one, history)).toEqual([]);
  expect(await one.audit()).toEqual([]);
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

test('a server whose preparation fails while another server charges the same call responds that the outcome is unknown', async ({
  pair: [one, other],
}) => {
  const wallet = await one.newEvmPayer();
  const history = new History();
  const { body } = await ask(await sign(one, wallet));
  const renewal = await sign(one, wallet, { path: `/uploads/${body.id}/renew` });
  const reservation = holdStatement(one, 'INSERT INTO upload_reservation');
  const recoveries = [one, other].map((rig) => holdStatement(rig, 'ORDER BY attempt_at'));
  const receipt = other.base.hold('eth_getTransactionReceipt', 'before');
  const first = history.ask(renewal);
  await reservation.reached;
  const second = history.ask(renewal, undefined, other.apiUrl);
  await until('the other server takes it over', async () => {
    await one.query(
      `UPDATE instance SET alive_until = now() - interval '1 second'
       WHERE id = (SELECT worked_by FROM paid_call WHERE payer = $1 AND state = 'claimed')`,
      [wallet.address],
    );
    return (await transfersOf(one, wallet.address)).length === 2;
  });
  reservation.fail();
  const { status, body: told } = await first;
  expect(status).toBe(503);
  expect(told.error).toMatchObject({ code: 'settlement_unknown', payment: 'unknown', retry: 'same_request' });
  receipt.release();
  expect((await second).body).toMatchObject({ id: body.id, renewalCount: 1 });
  for (const recovery of recoveries) recovery.release();
  expect((await history.persist(renewal)).status).toBe(200);
  expect(await contradictions(one, history)).toEqual([]);
  expect(await one.audit()).toEqual([]);
});

/** How many keys have sent settlements on each EVM network since then. */
function sendersSince(rig: Rig, since: Date): Promise<{ network: string; senders: string }[]> {
  return rig.query(
    `SELECT network, count(DISTINCT signer)::text AS senders FROM settlement_transaction
     WHERE network <> 'solana-mainnet' AND created_at > $1 GROUP BY network ORDER BY network`,
    [since],
  );
}

async function newestTransaction(rig: Rig): Promise<Date> {
  const [row] = await rig.query<{ at: Date }>(
    'SELECT COALESCE(max(created_at), to_timestamp(0)) AS at FROM settlement_transaction',
  );
  return row?.at ?? new Date(0);
}

test('one of two servers killed in the middle of twenty calls, the other finishes them all', async ({
  pair: [one, other],
}) => {
  const wallets = await Promise.all(Array.from({ length: 20 }, () => one.newEvmPayer()));
  const requests = await Promise.all(wallets.map((wallet) => sign(one, wallet)));
  const held = one.base.hold('eth_getTransactionReceipt', 'after');
  const firsts = requests.map((request, index) =>
    ask(at((index % 2 === 0 ? one : other).apiUrl, request)).catch(() => null),
  );
  await held.reached;
  await one.kill();
  held.abandon();
  const answered = await Promise.all(firsts);
  expect(answered.filter((answer) => answer === null).length).toBeGreaterThan(0);
  for (const [index, request] of requests.entries()) {
    // If the dead server had recorded nothing, nobody was charged, and the client must retry. It may do so at the other server.
    const isClaimed = (await callsOf(one, request.payer)).length > 0;
    if (!isClaimed) expect(await transfersOf(one, request.payer)).toEqual([]);
    if (!isClaimed || index % 4 === 0) expect((await persist(at(other.apiUrl, request))).status).toBe(200);
    await untilState(one, request.payer, 'delivered');
    expect(await transfersOf(one, request.payer)).toHaveLength(1);
    expect(await uploadsOf(one, request.payer)).toHaveLength(1);
  }
  expect(await one.audit()).toEqual([]);
});

test('a request overtaken by its retry at the other server gets the paid response, even if its own node is down', async ({
  pair: [one, other],
}) => {
  const wallet = await one.newEvmPayer();
  const request = await sign(one, wallet);
  const payer = wallet.address.slice(2).toLowerCase();
  const isAboutPayer = (params: readonly unknown[]) => JSON.stringify(params).toLowerCase().includes(payer);
  const held = one.base.hold('eth_call', 'before', { params: isAboutPayer });
  const first = ask(request);
  await held.reached;
  const second = await ask(at(other.apiUrl, request));
  expect(second.status).toBe(200);
  one.base.on('eth_call', loseRequest);
  held.abandon();
  const overtaken = await first;
  expect([overtaken.status, overtaken.body]).toEqual([200, second.body]);
  expect(await transfersOf(one, wallet.address)).toHaveLength(1);
  one.clearWays();
});
