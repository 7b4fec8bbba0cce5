import { baselinePaths } from './baseline-app';
import { type Bench, startBaseline, startOurs } from './bench';
import { startBenchChain } from './bench-chain';
import { newBuyers, signCalls } from './buyers';
import type { LoadRequest } from './load-protocol';
import { inTurns, median } from './rounds';
import type { Row } from './table';

const databasePool = '20';

/** Replays, compared with a bare Next route that reads one row by its key. */
export async function measureReplay(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('instant'));
  const ours = await startOurs(bench, chain);
  const [lane] = await signCalls(ours.url, await newBuyers(chain, 1), 1);
  const [request] = lane ?? [];
  if (!request) throw new Error('no payment was signed');
  const { paidCallId, length } = await payFirst(request);
  const baseline = await startBaseline(bench, {
    DATABASE_URL: ours.databaseUrl,
    DATABASE_POOL: databasePool,
    BENCH_PAID_CALL_ID: paidCallId,
    BENCH_ANSWER_LENGTH: String(length),
  });
  const baselineRequest = { ...request, url: `${baseline.url}${baselinePaths.indexedRead}` };
  const calls = bench.options.isQuick ? 200 : 500;
  const ask = (one: LoadRequest) => async () => {
    const lanes = [Array.from({ length: calls }, () => one)];
    const result = await bench.load.run({ kind: 'lanes', lanes });
    if (result.statuses[200] !== calls) throw new Error(`${one.url}: ${JSON.stringify(result.statuses)}`);
    return median(result.calls.map(({ ms }) => ms));
  };
  for (const one of [request, baselineRequest]) await ask(one)();
  const times = await inTurns(bench.options.rounds, { ours: ask(request), baseline: ask(baselineRequest) });
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
  ];
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
