import { type Bench, type PaidServer, startOfficial, startOurs } from './bench';
import { type BenchChain, type BlockMode, startBenchChain } from './bench-chain';
import { type Buyer, newBuyers, priceAtomic, signCalls } from './buyers';
import { inTurns, median, sum } from './rounds';
import type { Row } from './table';

/** The number of payments per buyer in one round. They take several blocks, so it hardly matters where in a block a round starts. */
const callsPerBuyer: Readonly<Record<BlockMode, (buyers: number) => number>> = {
  instant: (buyers) => Math.max(2, Math.min(24, Math.ceil(400 / buyers))),
  '2 s': (buyers) => (buyers === 1 ? 3 : 4),
};

export interface PaidRound {
  readonly perSecond: number;
  readonly p50: number;
  readonly calls: number;
  readonly failed: number;
  /** Valid payments that were charged although the caller was refused. */
  readonly chargedInVain: number;
  readonly gasPerPayment: number;
}

/** Paid calls per second with one signer key, ours compared with the official facilitator in the same process. */
export async function measurePaidRate(bench: Bench): Promise<Row[]> {
  const { isQuick } = bench.options;
  const instant = bench.options.buyers ?? (isQuick ? [1, 32] : [1, 8, 32, 256]);
  const spaced = bench.options.buyers ?? (isQuick ? [256] : [1, 8, 32, 256]);
  return [...(await measureMode(bench, 'instant', instant)), ...(await measureMode(bench, '2 s', spaced))];
}

async function measureMode(bench: Bench, mode: BlockMode, buyerCounts: readonly number[]): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain(mode));
  const buyers = await newBuyers(chain, Math.max(8, ...buyerCounts));
  const { beforeDir } = bench.options;
  const servers = {
    ours: await startOurs(bench, chain),
    ...(beforeDir === null ? {} : { before: await startOurs(bench, chain, { checkout: beforeDir }) }),
    // Polls as often as ours may, so that waiting for the receipt is no disadvantage.
    supplied: await startOfficial(bench, chain, { hasQueue: false, pollingMs: 100 }),
    queued: await startOfficial(bench, chain, { hasQueue: true, pollingMs: 100 }),
  };
  const warmUps = mode === 'instant' ? 8 : 2;
  for (const server of Object.values(servers))
    await payAll(bench, chain, server, buyers.slice(0, 8), warmUps);
  const rows: Row[] = [];
  for (const count of buyerCounts) {
    process.stderr.write(`  ${mode} blocks, ${count} at once\n`);
    const payers = buyers.slice(0, count);
    const each = bench.options.isQuick ? 2 : callsPerBuyer[mode](count);
    const round = (server: PaidServer) => () => payAll(bench, chain, server, payers, each);
    const turns = {
      ours: round(servers.ours),
      supplied: round(servers.supplied),
      queued: round(servers.queued),
    };
    const { rounds: times } = bench.options;
    const rounds = servers.before
      ? await inTurns(times, { ...turns, before: round(servers.before) })
      : await inTurns(times, turns);
    rows.push(...toRows(`${mode} blocks, ${count} ${count === 1 ? 'buyer' : 'buyers'}`, rounds, mode, count));
  }
  return rows;
}

/** Sends payments of all buyers at once, each buyer's one after the other. */
export async function payAll(
  bench: Bench,
  chain: BenchChain,
  server: PaidServer,
  buyers: readonly Buyer[],
  each: number,
): Promise<PaidRound> {
  const lanes = await signCalls(server.url, buyers, each);
  const [height, before] = await Promise.all([chain.height(), chain.received(server.seller)]);
  const { calls, elapsedMs } = await bench.load.run({ kind: 'lanes', lanes });
  const served = calls.filter(({ status }) => status === 200).length;
  await chain.settleDown(server.seller);
  const charged = Number(((await chain.received(server.seller)) - before) / priceAtomic);
  if (charged < served) throw new Error(`${server.url} served ${served} calls and charged ${charged}`);
  const gasUsed = await chain.gasUsed(server.seller, height);
  return {
    perSecond: (served * 1_000) / elapsedMs,
    p50: median(calls.filter(({ status }) => status === 200).map(({ ms }) => ms)),
    calls: calls.length,
    failed: calls.length - served,
    chargedInVain: charged - served,
    gasPerPayment: gasUsed / served,
  };
}

function toRows(
  name: string,
  rounds: Record<'ours' | 'supplied' | 'queued', PaidRound[]> & { readonly before?: PaidRound[] },
  mode: BlockMode,
  buyers: number,
): Row[] {
  const { ours, supplied, queued, before } = rounds;
  const p50 = (of: readonly PaidRound[]) => median(of.map((round) => round.p50));
  const rate = (rounds: readonly PaidRound[]) => median(rounds.map(({ perSecond }) => perSecond));
  const gas = (rounds: readonly PaidRound[]) => median(rounds.map(({ gasPerPayment }) => gasPerPayment));
  const isAimed = mode === '2 s' && buyers === 256;
  const against = (label: string, rounds: readonly PaidRound[], aim: number): Row => {
    const ratio = rate(ours) / rate(rounds);
    return {
      name: `paid calls/s, ${name}`,
      ours: rate(ours).toFixed(1),
      baseline: `${rate(rounds).toFixed(1)} ${label}`,
      ratio,
      aim: isAimed && aim > 0 ? `>= ${aim}x` : '',
      isMet: isAimed && aim > 0 ? ratio >= aim : null,
    };
  };
  return [
    against('as supplied', supplied, 20),
    against('with a send queue', queued, 3),
    ...(before ? [against('before', before, 0)] : []),
    {
      name: '  p50 ms',
      ours: p50(ours).toFixed(0),
      baseline: `${p50(queued).toFixed(0)} with a send queue${before ? `, ${p50(before).toFixed(0)} before` : ''}`,
      ratio: p50(ours) / p50(queued),
      aim: '',
      isMet: null,
    },
    {
      name: '  valid payments that failed (charged all the same)',
      ours: describeFailures(ours),
      baseline: `${describeFailures(supplied)} as supplied, ${describeFailures(queued)} queued`,
      ratio: null,
      aim: 'none of ours',
      isMet: sum(ours.map(({ failed }) => failed)) === 0,
    },
    {
      name: '  gas per payment',
      ours: gas(ours).toFixed(0),
      baseline: `${gas(queued).toFixed(0)} with a send queue`,
      ratio: gas(ours) / gas(queued),
      aim: '',
      isMet: null,
    },
  ];
}

function describeFailures(rounds: readonly PaidRound[]): string {
  const total = (field: 'failed' | 'calls' | 'chargedInVain') => sum(rounds.map((round) => round[field]));
  return `${total('failed')} of ${total('calls')} (${total('chargedInVain')})`;
}
