import type { RunningServer } from '../support/server';
import { shortTimings } from '../support/timings';
import { expect, test as recoveryTest } from './fixtures';
import { holdStatement } from './held-statement';
import { ask, sign } from './rig/requests';
import { everyNetwork, type Rig, startRig } from './rig/rig';
import { pause, until } from './rig/waiting';

const test = recoveryTest.extend<{ pair: readonly [Rig, Rig] }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  pair: async ({}, use) => {
    const one = await startRig({ networks: everyNetwork });
    const other = await startRig({ beside: one });
    try {
      await one.start({ LOG_LEVEL: 'debug' });
      await other.start({ LOG_LEVEL: 'debug' });
      await use([one, other]);
    } finally {
      await other.close();
      await one.close();
    }
  },
});

/** When a server ran a job, in ms, from its log. */
function runsOf(server: RunningServer, job: string): number[] {
  return server
    .output()
    .split('\n')
    .filter((line) => line.includes('"msg":"a job ran"'))
    .map((line) => JSON.parse(line) as { job: string; time: number })
    .filter((line) => line.job === job)
    .map(({ time }) => time);
}

/** Counts the statements with this text that a rig's server sends from now on. */
function countStatements({ database }: Rig, text: string): () => number {
  let count = 0;
  database.intercept((statement) => {
    if (statement.includes(text)) count += 1;
    return null;
  });
  return () => count;
}

const periodMs = shortTimings.jobs.reviewSettlementsMs;

test('two servers review a settlement once per period between them, and the one that is left does it alone', async ({
  pair,
}) => {
  const [one, other] = pair;
  const servers = [one.server(), other.server()];
  const runs = () => servers.flatMap((server) => runsOf(server, 'review-settlements'));
  // There is something to review until this payment is final, and no further blocks are mined.
  expect((await ask(await sign(one, await one.newEvmPayer()))).status).toBe(200);
  const sinceMs = Date.now();
  const together = () => runs().filter((time) => time > sinceMs);
  await until('ten runs', async () => together().length >= 10);
  const times = together();
  const spanMs = Math.max(...times) - Math.min(...times);
  // Each server checks several times per period. Together they run the job at most once per nine tenths of a period.
  const turnMs = 0.9 * periodMs;
  expect((times.length - 1) * turnMs).toBeLessThan(spanMs + turnMs);
  await one.kill();
  const before = runsOf(other.server(), 'review-settlements').length;
  await until(
    'the other server at it',
    async () => runsOf(other.server(), 'review-settlements').length >= before + 2,
    5_000,
  );
});

test('only one server runs a job that is due on both, and jobs with nothing to do claim nothing', async ({
  pair,
}) => {
  const [one, other] = pair;
  const runs = (job: string) => pair.flatMap((rig) => runsOf(rig.server(), job)).length;
  await until('the first run', async () => runs('expire-uploads') > 0);
  const before = runs('expire-uploads');
  for (let round = 1; round <= 5; round += 1) {
    const claims = [one, other].map((rig) => holdStatement(rig, 'UPDATE turn'));
    await one.query(`UPDATE turn SET due_at = now() WHERE job = 'expire-uploads'`);
    await Promise.all(claims.map(({ reached }) => reached));
    for (const claim of claims) claim.release();
    await until('a run', async () => runs('expire-uploads') >= before + round);
  }
  await pause(2 * periodMs);
  expect(runs('expire-uploads')).toBe(before + 5);
  expect(['recover-calls', 'review-settlements', 'close-refusals'].map(runs)).toEqual([0, 0, 0]);
});

test('jobs that are due at the same time are claimed in one statement, and one reads the gas in vain of all networks', async ({
  pair,
}) => {
  const [one, other] = pair;
  await other.kill();
  const due = ['erase-answers', 'erase-forms', 'expire-uploads', 'forget-sign-ins'];
  const setDue = (at: string) => one.query(`UPDATE turn SET due_at = ${at} WHERE job = ANY($1)`, [due]);
  await setDue("now() + interval '1 hour'");
  const reads = countStatements(one, 'gas_in_vain');
  await one.restart({ LOG_LEVEL: 'debug' });
  expect(reads()).toBe(1);
  const claims = countStatements(one, 'UPDATE turn');
  await setDue('now()');
  await until('each has run', async () => due.every((job) => runsOf(one.server(), job).length > 0));
  expect(claims()).toBe(1);
});
