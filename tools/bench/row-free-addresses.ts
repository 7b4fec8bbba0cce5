import { type Bench, logFile, startOurs } from './bench';
import { startBenchChain } from './bench-chain';
import { newBuyers, signCalls } from './buyers';
import type { Flood, LoadRequest } from './load-protocol';
import { startLoad } from './programs';
import { inTurns, median } from './rounds';
import type { Row } from './table';

const connections = 16;
const calls = 60;
/** Longer than a lone buyer takes for its calls. */
const floodMs = 3_000;
const rateMs = 2_000;

/** The header that agents and browsers send. */
const read = { 'Accept-Encoding': 'gzip, deflate, br' };

/** Free addresses: constant documents and pages, then those generated for every request. */
function addresses(api: string): {
  constant: Record<string, LoadRequest>;
  made: Record<string, LoadRequest>;
} {
  const get = (path: string, headers: Record<string, string> = read): LoadRequest => ({
    method: 'GET',
    url: api + path,
    headers,
  });
  const page = { ...read, Accept: 'text/html' };
  return {
    constant: {
      '/openapi.json': get('/openapi.json'),
      'a reference page': get('/docs/reference/forms', page),
      'the front page': get('/', page),
    },
    made: {
      'an unknown form page': get(`/f/fm_${'a'.repeat(24)}`, page),
      'an unknown docs page': get('/docs/nothing', page),
      'an unknown paid call': get(`/v1/paid-calls/pc_${'a'.repeat(24)}`),
      'a wrong account token': get('/v1/account', { Authorization: `Bearer tpt_${'a'.repeat(43)}` }),
      '/health/ready': get('/health/ready'),
    },
  };
}

/** How fast constant documents are served, and how long a lone buyer waits while others read anything free. */
export async function measureFreeAddresses(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('instant'));
  const buyers = await newBuyers(chain, 1);
  const ours = await startOurs(bench, chain, { checkout: bench.options.beforeDir ?? undefined });
  // A second load program, because in one process the flood would also delay the measurement of the paid calls.
  const paying = bench.onEnd(await startLoad(logFile(bench, 'paying')));
  const { constant, made } = addresses(ours.url.replace('/v1/uploads', ''));

  const flood = (request: LoadRequest, durationMs: number) => {
    const job: Flood = { kind: 'flood', request, connections, durationMs };
    return bench.load.run(job);
  };
  const pay = async (): Promise<number> => {
    const lanes = await signCalls(ours.url, buyers, bench.options.isQuick ? calls / 2 : calls);
    const { calls: paid, statuses } = await paying.run({ kind: 'lanes', lanes });
    if (statuses[200] !== paid.length) throw new Error(`valid payments failed: ${JSON.stringify(statuses)}`);
    return median(paid.map(({ ms }) => ms));
  };
  const payBeside = async (request: LoadRequest): Promise<number> => {
    const flooding = flood(request, floodMs);
    const p50 = await pay();
    await flooding;
    return p50;
  };
  const rate = async (request: LoadRequest): Promise<number> => {
    const { statuses, elapsedMs } = await flood(request, rateMs);
    if (Object.keys(statuses).join() !== '200')
      throw new Error(`${request.url} answered ${JSON.stringify(statuses)}`);
    return ((statuses[200] ?? 0) * 1_000) / elapsedMs;
  };

  await pay();
  for (const request of Object.values(constant)) await flood(request, 200);
  const rates: Record<string, number[]> = await inTurns(
    bench.options.rounds,
    Object.fromEntries(Object.entries(constant).map(([name, request]) => [name, () => rate(request)])),
  );
  const all = { ...constant, ...made };
  const times: Record<string, number[]> = await inTurns(bench.options.rounds, {
    alone: pay,
    ...Object.fromEntries(Object.entries(all).map(([name, request]) => [name, () => payBeside(request)])),
  });
  const alone = median(times.alone ?? []);
  return [
    ...Object.entries(rates).map(([name, perSecond]): Row => {
      const ours = median(perSecond);
      return {
        name: `${name}, requests/s, ${connections} connections`,
        ours: ours.toFixed(0),
        baseline: '',
        ratio: null,
        aim: '>= 3000',
        isMet: ours >= 3_000,
      };
    }),
    ...Object.keys(all).map((name): Row => {
      const ms = median(times[name] ?? []);
      return {
        name: `paid call p50 ms, one buyer, beside ${connections} connections: ${name}`,
        ours: ms.toFixed(1),
        baseline: `${alone.toFixed(1)} alone`,
        ratio: ms / alone,
        aim: '<= 1.5x',
        isMet: ms <= 1.5 * alone,
      };
    }),
  ];
}
