import { randomUUID } from 'node:crypto';
import { DataKeys } from '@/lib/platform/data-keys';
import { type Bench, logFile, startOurs } from './bench';
import { type BenchChain, startBenchChain } from './bench-chain';
import { type Buyer, newBuyers, signCalls, smallAnnouncement } from './buyers';
import { type DatabaseCost, measureDatabaseCost } from './database-cost';
import type { JobTimes } from './ledger-jobs';
import { loadLedger } from './ledger-loader';
import type { LoadRequest } from './load-protocol';
import { loadedAccount, loadedReadToken, newestForm } from './loaded-rows';
import { startProgram } from './programs';
import { inTurns, median } from './rounds';
import type { Row } from './table';
import { measureUnpaidRate } from './unpaid-rate';

const smallLedger = 1_000;
const buyerCount = 32;

/** A server of ours whose ledger already holds this many calls, and a program that runs its jobs. */
async function startWithLedger(bench: Bench, chain: BenchChain, calls: number) {
  // All free calls here come from one address.
  const server = await startOurs(bench, chain, { settings: { RATE_LIMIT_FACTOR: '0' } });
  const keys = new DataKeys([server.settings.DATA_KEY ?? ''], 'main');
  const answers = keys.encrypt(JSON.stringify({ name: 'Ada Lovelace' }));
  await loadLedger(server.databaseUrl, { seller: server.seller, asset: chain.usdc, calls, answers });
  const jobs = bench.onEnd(await startProgram('ledger-jobs', [], logFile(bench, 'jobs'), server.settings));
  return { server, jobs, calls, repeating: await newBuyers(chain, 1) };
}

type WithLedger = Awaited<ReturnType<typeof startWithLedger>>;

interface Figures extends JobTimes {
  /** 402 responses per second. */
  readonly unpaid: number;
  /** Paid calls per second. */
  readonly paid: number;
  /** PostgreSQL's cost per paid call. */
  readonly database: DatabaseCost;
  /** p50 in milliseconds; the same for the fields below. */
  readonly replay: number;
  readonly charge: number;
  readonly newestEntries: number;
  readonly middleEntries: number;
  readonly answers: number;
}

/** The same server with a ledger of a thousand calls and with one of a million. */
export async function measureLedgerSize(bench: Bench): Promise<Row[]> {
  const { rounds, isQuick } = bench.options;
  const calls = bench.options.ledgerCalls ?? (isQuick ? 100_000 : 1_000_000);
  const chain = bench.onEnd(await startBenchChain('instant'));
  const buyers = await newBuyers(chain, buyerCount);
  const small = await startWithLedger(bench, chain, smallLedger);
  const large = await startWithLedger(bench, chain, calls);
  const measure = (one: WithLedger) => () => measureOnce(bench, one, buyers);
  const contestants = { small: measure(small), large: measure(large) };
  await inTurns(1, contestants);
  return toRows(calls, await inTurns(rounds, contestants));
}

async function measureOnce(bench: Bench, one: WithLedger, buyers: readonly Buyer[]): Promise<Figures> {
  const { isQuick } = bench.options;
  const { server, calls, repeating } = one;
  const { origin } = new URL(server.url);
  const repeats = isQuick ? 200 : 500;
  const times = (request: () => LoadRequest) => medianTime(bench, Array.from({ length: repeats }, request));
  const read = (path: string, token: string) => () => ({
    method: 'GET',
    url: `${origin}${path}`,
    headers: { Authorization: `Bearer ${token}` },
  });
  const entries = '/v1/account/transactions?limit=100';
  // Signed now, because loading the ledgers takes longer than a signature is valid.
  const [[replayed] = []] = await signCalls(server.url, repeating, 1);
  if (!replayed) throw new Error('no payment was signed');
  return {
    unpaid: (await measureUnpaidRate(bench, server, isQuick ? 1_000 : 3_000)).perSecond,
    ...(await payRate(bench, server, buyers, isQuick ? 8 : 16)),
    // The first of these calls pays; all others get its response.
    replay: await times(() => replayed),
    charge: await times(() => chargeOf(origin)),
    newestEntries: await times(read(entries, loadedAccount.token)),
    middleEntries: await times(
      read(`/v1/account/transactions?limit=40&cursor=tx_${calls}`, loadedAccount.token),
    ),
    answers: await times(read(`/v1/forms/${newestForm(calls)}/responses`, loadedReadToken)),
    ...(await jobTimes(one)),
  };
}

/** A new purchase from the account that was loaded with the ledger. */
function chargeOf(origin: string): LoadRequest {
  return {
    method: 'POST',
    url: `${origin}/v1/account/uploads`,
    headers: {
      Authorization: `Bearer ${loadedAccount.token}`,
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(smallAnnouncement)),
      'Idempotency-Key': randomUUID(),
    },
    body: smallAnnouncement,
  };
}

async function payRate(
  bench: Bench,
  { url, databaseUrl }: WithLedger['server'],
  buyers: readonly Buyer[],
  each: number,
): Promise<Pick<Figures, 'paid' | 'database'>> {
  const lanes = await signCalls(url, buyers, each);
  const { result, cost } = await measureDatabaseCost(databaseUrl, bench.stack.pids.database, () =>
    bench.load.run({ kind: 'lanes', lanes }),
  );
  const { statuses, elapsedMs } = result;
  const served = statuses[200] ?? 0;
  if (served !== buyers.length * each)
    throw new Error(`valid payments failed: answers ${JSON.stringify(statuses)}`);
  const database = {
    statements: cost.statements / served,
    walBytes: cost.walBytes / served,
    cpuMs: cost.cpuMs === null ? null : cost.cpuMs / served,
  };
  return { paid: (served * 1_000) / elapsedMs, database };
}

/** The p50 of requests that are sent one after the other. */
async function medianTime(bench: Bench, lane: readonly LoadRequest[]): Promise<number> {
  const result = await bench.load.run({ kind: 'lanes', lanes: [lane] });
  if (result.statuses[200] !== lane.length)
    throw new Error(`${lane[0]?.url}: ${JSON.stringify(result.statuses)}`);
  return median(result.calls.map(({ ms }) => ms));
}

async function jobTimes({ jobs }: WithLedger): Promise<JobTimes> {
  const times: JobTimes[] = [];
  for (let run = 0; run < 20; run += 1) times.push(await jobs.ask<JobTimes>('run'));
  return {
    recovery: median(times.map(({ recovery }) => recovery)),
    cleanUp: median(times.map(({ cleanUp }) => cleanUp)),
  };
}

type Speed = Exclude<keyof Figures, 'database'>;
const rates: readonly Speed[] = ['unpaid', 'paid'];

function toRows(calls: number, { small, large }: Record<'small' | 'large', Figures[]>): Row[] {
  const row = (label: string, field: Speed, digits: number): Row => {
    const [many, few] = [large, small].map((rounds) => median(rounds.map((figures) => figures[field])));
    if (many === undefined || few === undefined) throw new Error('nothing was measured');
    // Speed: the rate itself, or the inverse of a time.
    const speed = rates.includes(field) ? many / few : few / many;
    return {
      name: `${label}, ${calls.toLocaleString('en')} calls in the ledger`,
      ours: many.toFixed(digits),
      baseline: `${few.toFixed(digits)} with ${smallLedger.toLocaleString('en')}`,
      ratio: speed,
      aim: '>= 0.95x',
      isMet: speed >= 0.95,
    };
  };
  const cost = (label: string, field: keyof DatabaseCost, digits: number): Row => {
    const [many, few] = [large, small].map((rounds) =>
      median(rounds.map(({ database }) => database[field] ?? Number.NaN)),
    );
    if (many === undefined || few === undefined) throw new Error('nothing was measured');
    const name = `  PostgreSQL: ${label} per paid call`;
    return {
      name,
      ours: many.toFixed(digits),
      baseline: few.toFixed(digits),
      ratio: many / few,
      aim: '',
      isMet: null,
    };
  };
  return [
    row('unpaid 402, front door, requests/s', 'unpaid', 0),
    row(`paid calls/s, instant blocks, ${buyerCount} buyers`, 'paid', 1),
    cost('statements', 'statements', 2),
    cost('bytes of its log', 'walBytes', 0),
    cost('CPU ms', 'cpuMs', 2),
    row('replay of a stored answer, p50 ms (ratio of speeds)', 'replay', 2),
    row('charge of an account with many entries, p50 ms (ratio of speeds)', 'charge', 2),
    row('newest page of its history, p50 ms (ratio of speeds)', 'newestEntries', 2),
    row('page in the middle of its history, p50 ms (ratio of speeds)', 'middleEntries', 2),
    row('100 answers to a form, p50 ms (ratio of speeds)', 'answers', 2),
    row('heartbeat, ms (ratio of speeds)', 'recovery', 2),
    row('clean-up jobs with nothing to do, ms (ratio of speeds)', 'cleanUp', 2),
  ];
}
