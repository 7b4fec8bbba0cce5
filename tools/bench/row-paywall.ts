import { findFreePort } from '@/local/free-port';
import { type Bench, logFile, type PaidServer, startOfficial } from './bench';
import { type BenchChain, startBenchChain } from './bench-chain';
import { newBuyers } from './buyers';
import { startProgram } from './programs';
import { inTurns, median, sum } from './rounds';
import { type PaidRound, payAll } from './row-paid-rate';
import type { Row } from './table';
import { measureUnpaidRate, unpaidRows } from './unpaid-rate';

const buyersAtOnce = 32;

/** packages/paywall in a bare Node app compared with withX402 on Next: unpaid calls, and calls that 32 buyers pay for at once. */
export async function measurePaywall(bench: Bench): Promise<Row[]> {
  const { isQuick, rounds: times } = bench.options;
  const chain = bench.onEnd(await startBenchChain('instant'));
  const paywall = await startPaywall(bench, chain);
  const official = await startOfficial(bench, chain, { hasQueue: false, pollingMs: 100 });
  const flood = (server: PaidServer) => () => measureUnpaidRate(bench, server, isQuick ? 1_000 : 3_000);
  const unpaid = { paywall: flood(paywall), official: flood(official) };
  await inTurns(1, unpaid);
  const floods = await inTurns(times, unpaid);

  const buyers = await newBuyers(chain, buyersAtOnce);
  const pay = (server: PaidServer, each: number) => () => payAll(bench, chain, server, buyers, each);
  await inTurns(1, { paywall: pay(paywall, 2), official: pay(official, 2) });
  const each = isQuick ? 2 : 12;
  const paid = await inTurns(times, { paywall: pay(paywall, each), official: pay(official, each) });
  const rate = (rounds: readonly PaidRound[]) => median(rounds.map(({ perSecond }) => perSecond));
  const failed = (rounds: readonly PaidRound[]) => sum(rounds.map((round) => round.failed));
  return [
    ...unpaidRows('unpaid 402, paywall in bare Node', null, floods.paywall, {
      label: 'withX402 on Next',
      rates: floods.official,
    }),
    {
      name: `paid calls/s, paywall in bare Node, ${buyersAtOnce} buyers`,
      ours: rate(paid.paywall).toFixed(1),
      baseline: `${rate(paid.official).toFixed(1)} withX402 on Next`,
      ratio: rate(paid.paywall) / rate(paid.official),
      aim: '',
      isMet: null,
    },
    {
      name: '  valid payments that failed',
      ours: String(failed(paid.paywall)),
      baseline: `${failed(paid.official)} withX402 on Next`,
      ratio: null,
      aim: 'none of ours',
      isMet: failed(paid.paywall) === 0,
    },
  ];
}

async function startPaywall(bench: Bench, chain: BenchChain): Promise<PaidServer> {
  const seller = await chain.newSeller();
  const port = await findFreePort();
  const { pid, stop } = bench.onEnd(
    await startProgram('paywall-server', [], logFile(bench, 'paywall'), {
      PORT: String(port),
      BENCH_RPC_URL: chain.rpcUrl,
      BENCH_PAY_TO: seller.payTo,
      BENCH_SIGNER_KEY: seller.signerKey,
    }),
  );
  return { url: `http://127.0.0.1:${port}/slots`, pid, seller, stop };
}
