import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openCalls } from '@/tests/recovery/history/ledger';
import { channelSettings } from '@/tests/recovery/rig/channels';
import { everyNetwork, startRig } from '@/tests/recovery/rig/rig';
import { pause, until } from '@/tests/recovery/rig/waiting';
import { startTestStack } from '@/tests/support/global-setup';
import { startServer } from '@/tests/support/server';
import { formatTable } from '../page-report/table';
import { startClients, Tally } from './clients';
import { figures, type Sample, sample } from './figures';
import { readOptions, type SoakOptions } from './options';
import { format, plot } from './plot';
import { type Trend, trendsOf } from './trend';

/**
 * Sends an hour of every kind of call to one server as shipped, with the timings of production, and checks whether it then
 * needs more of anything than before: `npm run soak`.
 */

const stops: (() => Promise<unknown>)[] = [];

async function stopAll(): Promise<void> {
  while (stops.length > 0) await stops.pop()?.();
}

interface Outcome {
  readonly samples: readonly Sample[];
  readonly tally: Tally;
  /** Everything that is wrong except figures that grew. */
  readonly faults: readonly string[];
}

async function run({ minutes, restMs, sampleEveryMs }: SoakOptions): Promise<Outcome> {
  stops.push(await startTestStack());
  const temporary = await mkdtemp(path.join(tmpdir(), 'tuppence-test-soak-'));
  stops.push(() => rm(temporary, { recursive: true, force: true }));
  const rig = await startRig({ networks: everyNetwork, settings: channelSettings() });
  stops.push(rig.close);
  const port = Number(new URL(rig.apiUrl).port);
  const server = await startServer({ ...rig.serverEnv, TRUSTED_PROXIES: '1', TMPDIR: temporary }, { port });
  stops.push(server.stop);
  const bytesBefore = await databaseBytes(rig);
  const subject = { rig, pid: server.pid, temporary };
  const tally = new Tally();
  const clients = await startClients(rig, tally, restMs);
  const startedMs = Date.now();
  const samples: Sample[] = [];
  while (Date.now() - startedMs < minutes * 60_000) {
    await pause(sampleEveryMs);
    const now = await sample(subject, (Date.now() - startedMs) / 1000, bytesBefore);
    samples.push(now);
    process.stderr.write(`${JSON.stringify(now, round)}\n`);
  }
  await clients.stop();
  const faults = [...tally.failures];
  await until('nothing is open', async () => (await openCalls(rig)).length === 0, 60_000).catch(
    (error: unknown) => faults.push(String(error)),
  );
  faults.push(...(await rig.audit()).map((finding) => `audit: ${finding}`));
  faults.push(...severeLines(server.output()));
  return { samples, tally, faults };
}

const round = (_key: string, value: unknown) =>
  typeof value === 'number' ? Math.round(value * 10) / 10 : value;

async function databaseBytes(rig: { query: Awaited<ReturnType<typeof startRig>>['query'] }): Promise<number> {
  const [row] = await rig.query<{ bytes: number }>(
    'SELECT pg_database_size(current_database())::float AS bytes',
  );
  return row?.bytes ?? 0;
}

/** Nothing failed on purpose, so nothing may be logged as an error. */
function severeLines(output: string): string[] {
  return output.split('\n').filter((line) => line.includes('"level":50'));
}

function tableOf(trends: readonly Trend[]): string {
  return formatTable(
    ['Figure', 'After a quarter', 'At the end', 'Highest', 'May grow by', 'Flat'],
    trends.map(({ name, early, late, highest, growsAtMost, isFlat }) => {
      const { title, unit } = figures[name];
      const cells = [early, late, highest, growsAtMost].map((value) => `${format(value)} ${unit}`.trim());
      return [title, ...cells, isFlat ? 'yes' : 'no'];
    }),
  );
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stopAll().finally(() => process.exit(130));
  });
}

try {
  const options = readOptions(process.argv.slice(2));
  const { samples, tally, faults } = await run(options);
  const trends = trendsOf(samples);
  const { calls = 0, seconds = 1 } = samples.at(-1) ?? {};
  const report = [
    `${calls} paid calls in ${(seconds / 60).toFixed(1)} minutes`,
    tableOf(trends),
    tally.lines.join('\n'),
    faults.length === 0 ? 'No fault.' : `${faults.length} faults:\n${faults.slice(0, 50).join('\n')}`,
  ].join('\n\n');
  await mkdir(options.out, { recursive: true });
  await Promise.all([
    writeFile(path.join(options.out, 'soak.txt'), `${report}\n`),
    writeFile(path.join(options.out, 'soak.svg'), plot(samples, trends)),
    writeFile(path.join(options.out, 'soak.json'), JSON.stringify(samples, round)),
  ]);
  console.log(report);
  process.exitCode = faults.length === 0 && trends.every(({ isFlat }) => isFlat) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : error);
  process.exitCode = 1;
} finally {
  await stopAll();
}
process.exit();
