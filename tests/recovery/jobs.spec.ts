import type { RunningServer } from '../support/server';
import { shortTimings } from '../support/timings';
import { expect, test as recoveryTest } from './fixtures';
import { type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';

const test = recoveryTest.extend<{ pair: readonly [Rig, Rig] }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  pair: async ({}, use) => {
    const one = await startRig();
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

test.setTimeout(90_000);

/** When a server ran a job, in ms, as its log says. */
function runsOf(server: RunningServer, job: string): number[] {
  return server
    .output()
    .split('\n')
    .filter((line) => line.includes('"msg":"a job ran"'))
    .map((line) => JSON.parse(line) as { job: string; time: number })
    .filter((line) => line.job === job)
    .map(({ time }) => time);
}

test('two servers recover calls once per period between them, and the one that is left does it alone', async ({
  pair,
}) => {
  const [one, other] = pair;
  const servers = [one.server(), other.server()];
  const runs = () => servers.flatMap((server) => runsOf(server, 'recover-calls'));
  // Both are at work from here on.
  const sinceMs = Date.now();
  const together = () => runs().filter((time) => time > sinceMs);
  await until('thirty runs', async () => together().length >= 30);
  const times = together();
  const spanMs = Math.max(...times) - Math.min(...times);
  // Each server on its own looks once per period; between them they take a turn every nine tenths of it at most.
  const turnMs = 0.9 * shortTimings.jobs.recoverCallsMs;
  expect((times.length - 1) * turnMs).toBeLessThan(spanMs + turnMs);
  await one.kill();
  const before = runsOf(other.server(), 'recover-calls').length;
  await until(
    'the other server at it',
    async () => runsOf(other.server(), 'recover-calls').length >= before + 2,
    5_000,
  );
});

// Schedules are in minutes, and this waits for one to be due.
test('two servers expire uploads once per minute between them, and what they tell the scheduler is the name of the job', {
  tag: '@sweep',
}, async ({ pair }) => {
  const [one, other] = pair;
  const servers = [one.server(), other.server()];
  const ran = () => servers.flatMap((server) => runsOf(server, 'expire-uploads'));
  await until('a run', async () => ran().length > 0, 45_000);
  const sent = await until('its end', async () => {
    const rows = await one.query<{ minute: string; state: string; data: unknown; output: unknown }>(
      `SELECT date_trunc('minute', created_on)::text AS minute, state::text, data, output FROM pgboss.job
       WHERE name = 'expire-uploads' ORDER BY created_on`,
    );
    return rows[0]?.state === 'completed' ? rows : null;
  });
  expect(new Set(sent.map(({ minute }) => minute)).size).toBe(sent.length);
  expect(ran().length).toBeLessThanOrEqual(sent.length);
  expect(sent.map(({ data, output }) => ({ data, output }))).toEqual(
    sent.map(() => ({ data: null, output: null })),
  );
});
