import { type Bench, type PaidServer, startOfficial, startOurs } from './bench';
import { startBenchChain } from './bench-chain';
import { smallAnnouncement } from './buyers';
import { inTurns } from './rounds';
import type { Row } from './table';
import { measureUnpaidRate, unpaidRows } from './unpaid-rate';

/** Unpaid calls to our server as shipped, on both rails, compared with withX402 on Next. */
export async function measureFrontDoor(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('instant'));
  const ours = await startOurs(bench, chain);
  const official = await startOfficial(bench, chain, { hasQueue: false });
  const mpp = { ...ours, url: ours.url.replace('/v1/', '/v1/mpp/') };
  const durationMs = bench.options.isQuick ? 1_000 : 3_000;
  const flood = (server: PaidServer, body?: string) => () =>
    measureUnpaidRate(bench, server, durationMs, body);

  const contestants = {
    x402: flood(ours),
    mpp: flood(mpp),
    // The challenge is bound to the body's digest, so the body has to be read.
    mppWithBody: flood(mpp, smallAnnouncement),
    official: flood(official),
  };
  await inTurns(1, contestants);
  const rates = await inTurns(bench.options.rounds, contestants);
  const baseline = { label: 'withX402 on Next', rates: rates.official };
  return [
    ...unpaidRows('unpaid 402, front door, x402', 12, rates.x402, baseline),
    ...unpaidRows('unpaid 402, front door, MPP', 12, rates.mpp, baseline),
    ...unpaidRows('unpaid 402, front door, MPP with a body', 12, rates.mppWithBody, baseline),
  ];
}
