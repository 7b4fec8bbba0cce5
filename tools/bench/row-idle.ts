import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabaseProxy } from '@/tests/support/database-proxy';
import { type Bench, startOurs } from './bench';
import { startBenchChain } from './bench-chain';
import { newBuyers, signCalls } from './buyers';
import { cpuMs } from './cpu-time';
import { inTurns, median } from './rounds';
import type { Row } from './table';

/** How long a server is left alone before the measurement begins. */
const settledMs = 20_000;

interface Idle {
  /** As a percentage of one core; null where there is no /proc. */
  readonly corePercent: number | null;
  readonly statementsPerSecond: number;
}

/** What a server on four networks uses while nobody asks for anything: before its first sale, and soon after one. */
export async function measureIdle(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('2 s'));
  let statements = 0;
  const proxy = await startDatabaseProxy(await bench.stack.createDatabase('bench_idle'));
  bench.onEnd({ stop: proxy.close });
  proxy.intercept(() => {
    statements += 1;
    return null;
  });
  const ours = await startOurs(bench, chain, { settings: { DATABASE_URL: proxy.databaseUrl } });
  const watchedMs = bench.options.isQuick ? 10_000 : 30_000;

  const watch = async (): Promise<Idle> => {
    const [cpuBefore, statementsBefore, beganMs] = [cpuMs(ours.pid), statements, performance.now()];
    await sleep(watchedMs);
    const [cpuAfter, ms] = [cpuMs(ours.pid), performance.now() - beganMs];
    return {
      corePercent: cpuBefore === null || cpuAfter === null ? null : (100 * (cpuAfter - cpuBefore)) / ms,
      statementsPerSecond: ((statements - statementsBefore) * 1_000) / ms,
    };
  };

  await sleep(settledMs);
  const { fresh } = await inTurns(bench.options.rounds, { fresh: watch });
  const lanes = await signCalls(ours.url, await newBuyers(chain, 4), 4);
  const { statuses } = await bench.load.run({ kind: 'lanes', lanes });
  if (statuses[200] !== 16) throw new Error(`16 payments: ${JSON.stringify(statuses)}`);
  await sleep(settledMs);
  const { sold } = await inTurns(bench.options.rounds, { sold: watch });
  return [
    ...rowsOf('idle server on four networks', fresh, 1),
    ...rowsOf('  while payments wait to be final', sold, null),
  ];
}

function rowsOf(name: string, rounds: readonly Idle[], aim: number | null): Row[] {
  const row = (what: string, figures: readonly (number | null)[]): Row => {
    const known = figures.filter((figure) => figure !== null);
    const middle = known.length === 0 ? null : median(known);
    return {
      name: `${name}, ${what}`,
      ours: middle === null ? 'Linux only' : middle.toFixed(2),
      baseline: '',
      ratio: null,
      aim: aim === null ? '' : `<= ${aim}`,
      isMet: aim === null || middle === null ? null : middle <= aim,
    };
  };
  return [
    row(
      '% of a core',
      rounds.map(({ corePercent }) => corePercent),
    ),
    row(
      'statements per second',
      rounds.map(({ statementsPerSecond }) => statementsPerSecond),
    ),
  ];
}
