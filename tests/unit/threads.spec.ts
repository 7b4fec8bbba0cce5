import path from 'node:path';
import { type JobOutcome, resultOf, type ThreadJob } from '@/lib/platform/threads';
import { type Requester, ThreadPool } from '@/lib/platform/threads/thread-pool';
import { testPlatform } from '../support/platform';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

// Each test has a pool of its own, and most of its time waits for threads.
test.describe.configure({ mode: 'parallel' });

const busy: ThreadJob<{ name: string; ms: number }, string> = { name: 'busy' };
const job = (name: string): ThreadJob<null, unknown> => ({ name });

const free = (address: string): Requester => ({ address, owner: null, priority: 'free' });

let pool: ThreadPool;
const start = (options: Partial<ConstructorParameters<typeof ThreadPool>[1]> = {}) => {
  pool = new ThreadPool(testPlatform(), {
    file: { file: path.resolve('tests/support/thread-jobs.mjs'), execArgv: [] },
    threads: 1,
    budgetMs: 10_000,
    lateAfterMs: 60_000,
    waitingMax: 16,
    waitingBytesMax: 1_000,
    ...options,
  });
  return pool;
};
test.afterEach(() => pool.close());

/** Runs jobs that all want the same thread at once. Returns the order in which they finished. */
async function orderOf(jobs: readonly [name: string, requester: Requester][]): Promise<string[]> {
  const done: string[] = [];
  const running = pool.run(busy, { name: 'first', ms: 100 }, free('first'), 1);
  const outcomes = jobs.map(([name, requester]) => pool.run(busy, { name, ms: 1 }, requester, 1));
  const tell = (outcome: JobOutcome<string>) => outcome.kind === 'done' && done.push(outcome.result);
  await Promise.all([running, ...outcomes.map((outcome) => outcome.then(tell))]);
  return done;
}

test('work of paying callers goes before signed requests, and those before free calls', async () => {
  start();
  const order = await orderOf([
    ['free', free('a')],
    ['signed', { address: 'b', owner: 'b', priority: 'signed' }],
    ['paying', { address: 'c', owner: 'c', priority: 'paying' }],
  ]);
  expect(order).toEqual(['paying', 'signed', 'free']);
});

test('a signed request whose payment is good goes before those whose payment is not', async () => {
  start();
  const signed = (payer: string, isGood: boolean): Requester => ({
    address: payer,
    owner: payer,
    priority: 'signed',
    isPaying: async () => isGood,
  });
  const order = await orderOf([
    ['poor', signed('poor', false)],
    ['rich', signed('rich', true)],
    ['unknown', { ...signed('unknown', false), isPaying: () => Promise.reject(new Error('no chain')) }],
  ]);
  expect(order).toEqual(['rich', 'poor', 'unknown']);
});

test('an address with many requests does not delay another behind all of them', async () => {
  start();
  const many = Array.from({ length: 8 }, (_, index) => [`many ${index}`, free('many')] as const);
  const order = await orderOf([
    ...many.map(([name, from]): [string, Requester] => [name, from]),
    ['one', free('one')],
  ]);
  expect(order.indexOf('one')).toBeLessThanOrEqual(1);
});

test('a full queue refuses the job of lowest priority at once', async () => {
  start({ waitingMax: 2 });
  const running = pool.run(busy, { name: 'first', ms: 100 }, free('first'), 1);
  const waiting = ['a', 'b'].map((address) => pool.run(busy, { name: address, ms: 1 }, free(address), 1));
  const refused = await pool.run(busy, { name: 'c', ms: 1 }, free('c'), 1);
  const paying = pool.run(busy, { name: 'p', ms: 1 }, { address: 'p', owner: 'p', priority: 'paying' }, 1);
  expect(refused).toEqual({ kind: 'full' });
  const outcomes = await Promise.all([running, ...waiting, paying]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['done', 'done', 'full', 'done']);
});

test('waiting jobs take bounded memory', async () => {
  start({ waitingBytesMax: 10 });
  const running = pool.run(busy, { name: 'first', ms: 100 }, free('first'), 1);
  const large = pool.run(busy, { name: 'large', ms: 1 }, free('large'), 11);
  expect(await large).toEqual({ kind: 'full' });
  await running;
});

const starved: ThreadJob<number, string> = { name: 'starved' };

test(
  'time that a job does not get on a busy machine does not count against its budget',
  fullOnly,
  async () => {
    test.skip(process.platform !== 'linux', 'the CPU time of a thread is read from /proc');
    start({ budgetMs: 200 });
    expect(await pool.run(starved, 600, free('honest'), 1)).toEqual({ kind: 'done', result: 'done' });
  },
);

test('a job that the machine has no time for is late, which is not said of its input', fullOnly, async () => {
  start({ budgetMs: 200, lateAfterMs: 400 });
  const outcome = await pool.run(starved, 60_000, free('honest'), 1);
  expect(outcome).toEqual({ kind: 'late' });
  expect(() => resultOf(outcome, 'invalid_input')).toThrow(
    expect.objectContaining({ code: 'service_unavailable', status: 503, retryAfterSeconds: 10 }),
  );
});

test('a job over its budget ends with its thread, and the next one finds another', async () => {
  start({ budgetMs: 300 });
  const hostile = pool.run(job('forever'), null, free('hostile'), 1);
  const honest = pool.run(busy, { name: 'honest', ms: 1 }, free('honest'), 1);
  expect(await hostile).toEqual({ kind: 'over_budget' });
  expect(await honest).toEqual({ kind: 'done', result: 'honest' });
});

for (const [what, name] of [
  ['ends its thread', 'exit'],
  ['takes too much memory', 'devour'],
  ['throws', 'refuse'],
] as const) {
  test(`a job that ${what} fails alone, and the next one succeeds`, async () => {
    start();
    const failed = pool.run(job(name), null, free('hostile'), 1);
    const honest = pool.run(busy, { name: 'honest', ms: 1 }, free('honest'), 1);
    expect((await failed).kind).toBe('failed');
    expect(await honest).toEqual({ kind: 'done', result: 'honest' });
  });
}

test('a thread has no access to settings', async () => {
  start();
  const outcome = await pool.run(job('settings'), null, free('a'), 1);
  expect(outcome).toEqual({ kind: 'done', result: ['NODE_ENV'] });
});
