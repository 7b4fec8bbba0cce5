import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type Bench, logFile, startOurs } from './bench';
import { startBenchChain } from './bench-chain';
import { newBuyers, signCalls } from './buyers';
import type { Flood, LoadRequest } from './load-protocol';
import { startLoad } from './programs';
import { inTurns, median } from './rounds';
import type { Row } from './table';

const buyerCount = 4;
const callsPerBuyer = 40;
const floodConnections = 8;
/** Long enough for a round's paid calls; the round then waits for the rest of the flood. */
const floodMs = 4_000;

const json = { 'Content-Type': 'application/json' };

/** A form whose texts all have the maximum length and consist of words that are expensive to check. */
function largestForm(): object {
  const fill = (length: number, from: number) =>
    'pin pin pin postal pin code '.repeat(Math.ceil((length + from) / 28)).slice(from, from + length);
  return {
    title: fill(120, 0),
    description: fill(2_000, 1),
    thankYou: fill(1_000, 3),
    questions: Array.from({ length: 20 }, (_, question) => ({
      type: 'choice',
      label: fill(300, question),
      help: fill(300, question + 1),
      options: Array.from({ length: 50 }, (_, option) => `${question}-${option} ${fill(190, option)}`),
    })),
  };
}

/** A document of the maximum size, with the content that is slowest to parse. */
const largestDocument = () => ({ html: '<nobr>'.repeat(Math.floor(1_048_576 / 6)) });

/** Everything that is free for the caller and expensive for us: dry runs, bad signatures, tokens and IDs, large bodies. */
async function floods(url: string): Promise<Record<string, LoadRequest>> {
  const api = url.replace('/v1/uploads', '');
  const post = (path: string, body: string): LoadRequest => ({
    method: 'POST',
    url: `${api}${path}`,
    headers: json,
    body,
  });
  const get = (path: string, headers: Record<string, string> = {}): LoadRequest => ({
    method: 'GET',
    url: `${api}${path}`,
    headers,
  });
  const dryRun = (operation: string, body: object) =>
    post('/v1/tools/check', JSON.stringify({ operation, body }));
  /** Signed by an empty wallet. */
  const signed = async (path: string, body: string): Promise<LoadRequest> => {
    const poor = privateKeyToAccount(generatePrivateKey());
    const request = (await signCalls(`${api}${path}`, [poor], 1, body))[0]?.[0];
    if (!request) throw new Error('nothing was signed');
    return request;
  };
  const upload = { mime: 'text/plain', size: 5, sha256: 'a'.repeat(64), sha256Base64: `${'a'.repeat(43)}=` };
  /** A call of a tool with this as its payment. */
  const overMcp = (name: string, args: object, meta: object) =>
    post(
      '/mcp',
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args, _meta: meta },
      }),
    );
  const madeUp = { 'x402/payment': { x402Version: 2 } };
  const manyFields = `{${Array.from({ length: 400_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
  return {
    'dry runs of the largest form': dryRun('forms.create', largestForm()),
    'dry runs of the largest document': dryRun('render.pdf', largestDocument()),
    'dry runs of the largest body': post(
      '/v1/tools/check',
      `{"operation":"render.pdf","body":${manyFields}}`,
    ),
    'largest forms, signed by an empty wallet': await signed('/v1/forms', JSON.stringify(largestForm())),
    'largest documents, signed by an empty wallet': await signed(
      '/v1/render/pdf',
      JSON.stringify(largestDocument()),
    ),
    'largest bodies, signed by an empty wallet': await signed('/v1/render/pdf', manyFields),
    'uploads, signed by an empty wallet': await signed('/v1/uploads', JSON.stringify(upload)),
    'made-up payments': {
      ...post('/v1/uploads', JSON.stringify(upload)),
      headers: { ...json, 'PAYMENT-SIGNATURE': 'eyJ' },
    },
    'made-up payments over MCP': overMcp('uploads_create', upload, madeUp),
    'made-up payments over MCP, with 50 KB': overMcp(
      'uploads_create',
      { ...upload, filename: 'a'.repeat(50_000) },
      madeUp,
    ),
    'wrong account tokens': get('/v1/account', { Authorization: `Bearer tpt_${'a'.repeat(43)}` }),
    'wrong read tokens': get(`/v1/forms/fm_${'a'.repeat(24)}/responses`, {
      Authorization: `Bearer frt_${'a'.repeat(43)}`,
    }),
    'unknown paid calls': get(`/v1/paid-calls/pc_${'a'.repeat(24)}`),
    prices: get('/v1/tools/prices'),
    'unknown paths': get(`/v1/nothing/${'a'.repeat(24)}`),
  };
}

/** How long paying buyers wait, alone and during each flood of free calls. */
export async function measureFreeFloods(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('instant'));
  const buyers = await newBuyers(chain, buyerCount);
  const ours = await startOurs(bench, chain, { checkout: bench.options.beforeDir ?? undefined });
  // A second load program, because in one process the flood would also delay the measurement of the paid calls.
  const paying = bench.onEnd(await startLoad(logFile(bench, 'paying')));
  const each = bench.options.isQuick ? callsPerBuyer / 2 : callsPerBuyer;

  const pay = async (): Promise<number> => {
    const lanes = await signCalls(ours.url, buyers, each);
    const { calls } = await paying.run({ kind: 'lanes', lanes });
    const failed = calls.filter(({ status }) => status !== 200);
    if (failed.length > 0) throw new Error(`${failed.length} of ${calls.length} valid payments failed`);
    const times = calls.map(({ ms }) => ms).sort((one, other) => one - other);
    return times[Math.ceil(times.length * 0.95) - 1] ?? 0;
  };
  const answers = new Map<string, string>();
  const payBeside = async (name: string, request: LoadRequest): Promise<number> => {
    const job: Flood = { kind: 'flood', request, connections: floodConnections, durationMs: floodMs };
    const flooding = bench.load.run(job);
    const p95 = await pay();
    const { statuses } = await flooding;
    answers.set(
      name,
      Object.entries(statuses)
        .map(([status, count]) => `${count} x ${status}`)
        .join(', '),
    );
    return p95;
  };

  await pay();
  const requests = await floods(ours.url);
  const contestants = {
    alone: pay,
    ...Object.fromEntries(
      Object.entries(requests).map(([name, request]) => [name, () => payBeside(name, request)]),
    ),
  };
  const times: Record<string, number[]> = await inTurns(bench.options.rounds, contestants);
  const alone = median(times.alone ?? []);
  return Object.keys(requests).map((name) => {
    const ms = median(times[name] ?? []);
    return {
      name: `paid call p95 ms beside ${floodConnections} connections: ${name} (${answers.get(name)})`,
      ours: ms.toFixed(0),
      baseline: `${alone.toFixed(0)} alone`,
      ratio: ms / alone,
      aim: '<= 2x',
      isMet: ms <= 2 * alone,
    };
  });
}
