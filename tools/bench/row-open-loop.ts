import { setTimeout as sleep } from 'node:timers/promises';
import { randomNumbers } from '@/tests/support/random';
import { type Bench, type PaidServer, startOfficial, startOurs } from './bench';
import { type BenchChain, startBenchChain } from './bench-chain';
import { type Buyer, newBuyers, signCalls } from './buyers';
import { cpuMsWithChildren } from './cpu-time';
import type { Arrival } from './load-protocol';
import { percentile } from './rounds';
import type { Row } from './table';

/** Two blocks. */
const p95MaxMs = 4_000;
/** More than are pending at any time, so that no buyer has two payments at once. */
const buyersMax = 2_000;
/** The search ends when the highest rate that was sustained and the lowest that was not differ by less than this factor. */
const precision = { quick: 1.25, usual: 1.1 };
/** The factor for the next rate to try when a long window fails at a rate that a short one passed. */
const stepDown = 0.8;
/** Calls per second. A server that cannot sustain this sustains nothing. */
const slowest = 0.25;

/** What happened at one rate. */
interface Attempt {
  readonly perSecond: number;
  readonly calls: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** How late the load generator sent, p95. */
  readonly lateMs: number;
  /** How many cores each part of the system used. */
  readonly cores: Readonly<Record<string, number>>;
}

interface Contestant {
  readonly name: string;
  /** Where the search begins, in calls per second. */
  readonly from: number;
  start(): Promise<PaidServer>;
  /** When its requests arrive; by default, at random, like those of independent buyers. */
  readonly arrivalTimes?: ArrivalTimes;
}

/** @returns when requests arrive, in milliseconds */
type ArrivalTimes = (perSecond: number, seconds: number, seed: number) => number[];

/**
 * The highest rate of arrivals that one key can serve with 2 s blocks. Requests arrive whether or not the earlier ones have
 * been answered, and each must be answered with 200, 95 % of them within two blocks.
 */
export async function measureOpenLoop(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('2 s'));
  const buyers = await newBuyers(chain, buyersMax);
  const find = async ({ name, from, start, arrivalTimes = randomTimes }: Contestant) => {
    const server = await start();
    let seed = 0;
    const attempt = async (perSecond: number, seconds: number) => {
      seed += 1;
      const times = arrivalTimes(perSecond, seconds, seed);
      const tried = await tryRate(bench, { chain, buyers, server }, { perSecond, seconds, times });
      process.stderr.write(`  ${name}: ${summarize(tried)}\n`);
      return tried;
    };
    const found = await findRate(attempt, from, bench.options.isQuick);
    await server.stop();
    return found;
  };
  const ours: { processes: number; held: Attempt }[] = [];
  for (const processes of bench.options.processes) {
    const settings = {
      PROCESSES: String(processes),
      ...(bench.options.hasKeyEach ? { SETTLEMENT_KEYS_EVM: await newKeys(chain, processes) } : {}),
    };
    const start = () => startOurs(bench, chain, { settings });
    ours.push({ processes, held: await find({ name: `ours, PROCESSES=${processes}`, from: 256, start }) });
  }
  const official = (hasQueue: boolean) => () => startOfficial(bench, chain, { hasQueue, pollingMs: 100 });
  const supplied = { name: 'as supplied', from: 1, start: official(false) };
  const officials = {
    supplied: await find(supplied),
    spaced: await find({ ...supplied, name: 'as supplied, evenly spaced', from: 8, arrivalTimes: evenTimes }),
    queued: await find({ name: 'with a send queue', from: 32, start: official(true) }),
  };
  return ours.flatMap(({ processes, held }) => toRows(processes, held, officials));
}

async function newKeys(chain: BenchChain, count: number): Promise<string> {
  const sellers = await Promise.all(Array.from({ length: count }, () => chain.newSeller()));
  return sellers.map(({ signerKey }) => signerKey).join(',');
}

/** Looks for the rate in short windows, then confirms it in a long one. */
async function findRate(
  attempt: (perSecond: number, seconds: number) => Promise<Attempt>,
  from: number,
  isQuick: boolean,
): Promise<Attempt> {
  const [searchSeconds, confirmSeconds] = isQuick ? [8, 16] : [10, 60];
  const closeEnough = isQuick ? precision.quick : precision.usual;
  // A warm-up.
  await attempt(from, 4);
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  for (let rate = from; high > slowest && high / low > closeEnough; rate = between(low, high)) {
    if (isHeld(await attempt(rate, searchSeconds))) low = rate;
    else high = rate;
  }
  for (let rate = low; rate >= slowest; rate *= stepDown) {
    const confirmed = await attempt(rate, confirmSeconds);
    if (isHeld(confirmed)) return confirmed;
  }
  return { perSecond: 0, calls: 0, failed: 0, p50Ms: 0, p95Ms: 0, lateMs: 0, cores: {} };
}

function between(low: number, high: number): number {
  if (low === 0) return high / 2;
  return high === Number.POSITIVE_INFINITY ? low * 2 : Math.sqrt(low * high);
}

function isHeld({ failed, p95Ms }: Attempt): boolean {
  return failed === 0 && p95Ms < p95MaxMs;
}

async function tryRate(
  { load, stack }: Bench,
  { chain, buyers, server }: { chain: BenchChain; buyers: readonly Buyer[]; server: PaidServer },
  { perSecond, seconds, times }: { perSecond: number; seconds: number; times: readonly number[] },
): Promise<Attempt> {
  const arrivals = await signArrivals(server, buyers, times);
  const pids = { server: server.pid, database: stack.pids.database, chain: chain.pid, load: load.pid };
  const used = () => Object.values(pids).map((pid) => cpuMsWithChildren(pid) ?? 0);
  const before = used();
  const running = load.run({ kind: 'arrivals', arrivals });
  const startedMs = performance.now();
  // Measured only while requests arrive.
  await Promise.race([running, sleep(seconds * 1_000)]);
  const elapsedMs = performance.now() - startedMs;
  const cores = used().map((ms, index) => (ms - (before[index] ?? 0)) / elapsedMs);
  const { calls, lateMs = 0 } = await running;
  const durations = calls.map(({ ms }) => ms);
  await chain.settleDown(server.seller);
  return {
    perSecond,
    calls: calls.length,
    failed: calls.filter(({ status }) => status !== 200).length,
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    lateMs,
    cores: Object.fromEntries(Object.keys(pids).map((part, index) => [part, cores[index] ?? 0])),
  };
}

/**
 * Buyers act independently, so the pauses between arrivals are exponential (a Poisson process). The nth attempt has the same
 * arrival times for every contestant.
 */
function randomTimes(perSecond: number, seconds: number, seed: number): number[] {
  const next = randomNumbers(seed);
  const times: number[] = [];
  for (let at = 0; ; ) {
    at -= Math.log(1 - next()) / perSecond;
    if (at >= seconds) return times;
    times.push(at * 1_000);
  }
}

function evenTimes(perSecond: number, seconds: number): number[] {
  return Array.from({ length: Math.floor(perSecond * seconds) }, (_, index) => (index * 1_000) / perSecond);
}

/** A signed payment for each time. Buyers take turns, so that each pauses between two payments. */
async function signArrivals(
  server: PaidServer,
  buyers: readonly Buyer[],
  times: readonly number[],
): Promise<Arrival[]> {
  const each = Math.ceil(times.length / buyers.length);
  const lanes = await signCalls(server.url, buyers.slice(0, times.length), each);
  return times.map((dueMs, index) => {
    const request = lanes[index % lanes.length]?.[Math.floor(index / lanes.length)];
    if (!request) throw new Error('too few payments were signed');
    return { dueMs, request };
  });
}

function summarize({ perSecond, calls, failed, p50Ms, p95Ms, lateMs, cores }: Attempt): string {
  return (
    `${perSecond.toFixed(1)}/s, ${failed} of ${calls} failed, p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms, ` +
    `sent late by ${lateMs.toFixed(0)} ms (p95), cores: ${describeCores(cores)}`
  );
}

function describeCores(cores: Attempt['cores']): string {
  return Object.entries(cores)
    .map(([part, used]) => `${part} ${used.toFixed(2)}`)
    .join(', ');
}

function toRows(
  processes: number,
  held: Attempt,
  { supplied, spaced, queued }: Record<'supplied' | 'spaced' | 'queued', Attempt>,
): Row[] {
  const what = `2 s blocks, open loop${processes === 1 ? '' : `, ${processes} processes`}`;
  const against = (label: string, baseline: Attempt, aim: number): Row => {
    const ratio = held.perSecond / baseline.perSecond;
    return {
      name: `paid calls/s held, ${what}`,
      ours: held.perSecond.toFixed(1),
      baseline: `${baseline.perSecond.toFixed(1)} ${label}`,
      ratio,
      aim: `>= ${aim}x`,
      isMet: ratio >= aim,
    };
  };
  const describeHeld = ({ calls, failed, p50Ms, p95Ms }: Attempt) =>
    `${failed} of ${calls}, ${(p50Ms / 1_000).toFixed(1)}, ${(p95Ms / 1_000).toFixed(1)}`;
  const rest = { ratio: null, aim: '', isMet: null };
  return [
    against('as supplied', supplied, 40),
    against('as supplied, its arrivals evenly spaced', spaced, 40),
    against('with a send queue', queued, 8),
    {
      ...rest,
      name: '  valid payments that failed, p50 s, p95 s',
      ours: describeHeld(held),
      baseline: `${describeHeld(supplied)} as supplied; ${describeHeld(queued)} queued`,
    },
    {
      ...rest,
      name: '  cores in use',
      ours: describeCores(held.cores),
      baseline: `${describeCores(queued.cores)} queued`,
    },
    {
      ...rest,
      name: '  the load generator sent late by, p95 ms',
      ours: held.lateMs.toFixed(0),
      baseline: `${supplied.lateMs.toFixed(0)} as supplied, ${queued.lateMs.toFixed(0)} queued`,
    },
  ];
}
