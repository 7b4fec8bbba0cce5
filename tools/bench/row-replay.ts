import { baselinePaths } from './baseline-app';
import { type Bench, startBaseline, startOurs } from './bench';
import { type BenchChain, startBenchChain } from './bench-chain';
import { newBuyers, signCalls } from './buyers';
import { type FloodRate, floodRows, measureFloodRate } from './flood-rate';
import type { LoadRequest } from './load-protocol';
import { inTurns, median } from './rounds';
import type { Row } from './table';

const databasePool = '20';

/** How many clients retry at the same time. */
const atOnce = 32;

/** A request and the server that answers it. */
interface Asked {
  readonly pid: number;
  readonly request: LoadRequest;
}

/** Replays, one after the other and many at once, compared with a bare Next route that reads one row by its key. */
export async function measureReplay(bench: Bench): Promise<Row[]> {
  const { beforeDir, isQuick, rounds } = bench.options;
  const chain = bench.onEnd(await startBenchChain('instant'));
  const ours = await startPaid(bench, chain);
  const next = await startBaseline(bench, {
    DATABASE_URL: ours.databaseUrl,
    DATABASE_POOL: databasePool,
    BENCH_PAID_CALL_ID: ours.paidCallId,
    BENCH_ANSWER_LENGTH: String(ours.length),
  });
  const baseline = {
    pid: next.pid,
    request: { ...ours.request, url: `${next.url}${baselinePaths.indexedRead}` },
  };
  const before = beforeDir === null ? null : await startPaid(bench, chain, beforeDir);

  const calls = isQuick ? 200 : 500;
  const oneByOne = ({ request }: Asked) =>
    async function ask(): Promise<number> {
      const lanes = [Array.from({ length: calls }, () => request)];
      const result = await bench.load.run({ kind: 'lanes', lanes });
      if (result.statuses[200] !== calls)
        throw new Error(`${request.url}: ${JSON.stringify(result.statuses)}`);
      return median(result.calls.map(({ ms }) => ms));
    };
  const single = { ours: oneByOne(ours), baseline: oneByOne(baseline) };
  await inTurns(1, single);
  const times = await inTurns(rounds, single);

  const how = { connections: atOnce, durationMs: isQuick ? 2_000 : 5_000, status: 200 };
  const flood =
    ({ pid, request }: Asked) =>
    () =>
      measureFloodRate(bench, pid, request, how);
  const floods: Record<string, () => Promise<FloodRate>> = {
    ours: flood(ours),
    baseline: flood(baseline),
    ...(before === null ? {} : { before: flood(before) }),
  };
  await inTurns(1, floods);
  const rates = await inTurns(rounds, floods);

  const ratio = median(times.ours) / median(times.baseline);
  return [
    {
      name: 'replay of a stored answer, p50 ms',
      ours: median(times.ours).toFixed(2),
      baseline: `${median(times.baseline).toFixed(2)} Next route, one indexed read`,
      ratio,
      aim: '<= 1.5x',
      isMet: ratio <= 1.5,
    },
    ...againstOurs('Next route, one indexed read', 1.5, rates.baseline),
    ...againstOurs('before', 1, rates.before),
  ];

  function againstOurs(label: string, aim: number, others: readonly FloodRate[] | undefined): Row[] {
    const name = `replays per second, ${atOnce} at once`;
    return others ? floodRows(name, aim, rates.ours ?? [], { label, rates: others }) : [];
  }
}

/** Starts one of our servers and pays once. */
async function startPaid(bench: Bench, chain: BenchChain, checkout?: string) {
  const server = await startOurs(bench, chain, { checkout });
  const [lane] = await signCalls(server.url, await newBuyers(chain, 1), 1);
  const [request] = lane ?? [];
  if (!request) throw new Error('no payment was signed');
  return { ...server, request, ...(await payFirst(request)) };
}

/** Pays once, and checks that a retry gets the stored response. */
async function payFirst({ url, ...init }: LoadRequest): Promise<{ paidCallId: string; length: number }> {
  const first = await fetch(url, init);
  const again = await fetch(url, init);
  const body = await first.text();
  const paidCallId = first.headers.get('paid-call-id');
  const isReplay = again.headers.get('idempotent-replayed') === 'true' && (await again.text()) === body;
  if (!first.ok || !paidCallId || !isReplay)
    throw new Error(`no replay: ${first.status} ${again.status} ${body}`);
  return { paidCallId, length: body.length };
}
