import { type Bench, logFile, type PaidServer, startOurs } from './bench';
import { type BenchChain, startBenchChain } from './bench-chain';
import { type Buyer, newBuyers, signCalls } from './buyers';
import type { JobTimes } from './ledger-jobs';
import { loadLedger } from './ledger-loader';
import type { LoadRequest } from './load-protocol';
import { startProgram } from './programs';
import { inTurns, median } from './rounds';
import type { Row } from './table';

const smallLedger = 1_000;
const buyerCount = 32;

/** A server of ours whose ledger already holds this many calls, and a program that runs its jobs. */
async function startWithLedger(bench: Bench, chain: BenchChain, calls: number) {
  const server = await startOurs(bench, chain);
  await loadLedger(server.databaseUrl, { seller: server.seller, asset: chain.usdc, calls });
  const jobs = bench.onEnd(await startProgram('ledger-jobs', [], logFile(bench, 'jobs'), server.settings));
  const [lane] = await signCalls(server.url, await newBuyers(chain, 1), 1);
  const [replayed] = lane ?? [];
  if (!replayed) throw new Error('no payment was signed');
  return { server, jobs, replayed };
}

type WithLedger = Awaited<ReturnType<typeof startWithLedger>>;

interface Figures extends JobTimes {
  /** Paid calls per second. */
  readonly paid: number;
  /** p50 in milliseconds. */
  readonly replay: number;
}

/** The same server over a ledger of a thousand calls and over one of a million. */
export async function measureLedgerSize(bench: Bench): Promise<Row[]> {
  const { rounds, isQuick } = bench.options;
  const calls = bench.options.ledgerCalls ?? (isQuick ? 100_000 : 1_000_000);
  const chain = bench.onEnd(await startBenchChain('instant'));
  const buyers = await newBuyers(chain, buyerCount);
  const small = await startWithLedger(bench, chain, smallLedger);
  const large = await startWithLedger(bench, chain, calls);
  const measure = (one: WithLedger) => async (): Promise<Figures> => ({
    paid: await payRate(bench, one.server, buyers, isQuick ? 8 : 16),
    replay: await replayTime(bench, one.replayed, isQuick ? 200 : 500),
    ...(await jobTimes(one)),
  });
  const contestants = { small: measure(small), large: measure(large) };
  await inTurns(1, contestants);
  return toRows(calls, await inTurns(rounds, contestants));
}

async function payRate(bench: Bench, server: PaidServer, buyers: readonly Buyer[], each: number) {
  const lanes = await signCalls(server.url, buyers, each);
  const { statuses, elapsedMs } = await bench.load.run({ kind: 'lanes', lanes });
  const served = statuses[200] ?? 0;
  if (served !== buyers.length * each)
    throw new Error(`valid payments failed: answers ${JSON.stringify(statuses)}`);
  return (served * 1_000) / elapsedMs;
}

/** The first of these calls pays; all others get its response. */
async function replayTime(bench: Bench, replayed: LoadRequest, calls: number): Promise<number> {
  const lanes = [Array.from({ length: calls }, () => replayed)];
  const result = await bench.load.run({ kind: 'lanes', lanes });
  if (result.statuses[200] !== calls) throw new Error(`replay: ${JSON.stringify(result.statuses)}`);
  return median(result.calls.map(({ ms }) => ms));
}

async function jobTimes({ jobs }: WithLedger): Promise<JobTimes> {
  const times: JobTimes[] = [];
  for (let run = 0; run < 20; run += 1) times.push(await jobs.ask<JobTimes>('run'));
  return {
    recovery: median(times.map(({ recovery }) => recovery)),
    expiry: median(times.map(({ expiry }) => expiry)),
  };
}

function toRows(calls: number, { small, large }: Record<'small' | 'large', Figures[]>): Row[] {
  const row = (label: string, field: keyof Figures, digits: number): Row => {
    const [many, few] = [large, small].map((rounds) => median(rounds.map((figures) => figures[field])));
    if (many === undefined || few === undefined) throw new Error('nothing was measured');
    // Speed: a rate as it is, or the inverse of a time.
    const speed = field === 'paid' ? many / few : few / many;
    return {
      name: `${label}, ${calls.toLocaleString('en')} calls in the ledger`,
      ours: many.toFixed(digits),
      baseline: `${few.toFixed(digits)} with ${smallLedger.toLocaleString('en')}`,
      ratio: speed,
      aim: '>= 0.95x',
      isMet: speed >= 0.95,
    };
  };
  return [
    row(`paid calls/s, instant blocks, ${buyerCount} buyers`, 'paid', 1),
    row('replay of a stored answer, p50 ms (ratio of speeds)', 'replay', 2),
    row('recovery poll, ms (ratio of speeds)', 'recovery', 2),
    row('expiry job with nothing to do, ms (ratio of speeds)', 'expiry', 2),
  ];
}
