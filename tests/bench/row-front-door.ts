import { type Bench, startOfficial, startOurs } from './bench';
import { startBenchChain } from './bench-chain';
import { smallAnnouncement } from './buyers';
import { inTurns, median } from './rounds';
import type { Row } from './table';
import { measureUnpaidRate, unpaidConnections } from './unpaid-rate';

/** Unpaid calls of our server as shipped, on both rails, against withX402 on Next. */
export async function measureFrontDoor(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('instant'));
  const ours = await startOurs(bench, chain);
  const official = await startOfficial(bench, chain, { hasQueue: false });
  const mppUrl = ours.url.replace('/v1/', '/v1/mpp/');
  const durationMs = bench.options.isQuick ? 1_000 : 3_000;
  const flood = (url: string, body?: string) => () => measureUnpaidRate(bench, url, durationMs, body);

  const contestants = {
    x402: flood(ours.url),
    mpp: flood(mppUrl),
    // A body is bound to the challenge by its digest, so it has to be read.
    mppWithBody: flood(mppUrl, smallAnnouncement),
    official: flood(official.url),
  };
  await inTurns(1, contestants);
  const rates = await inTurns(bench.options.rounds, contestants);
  const row = (name: string, mine: readonly number[]): Row => {
    const ratio = median(mine) / median(rates.official);
    return {
      name: `unpaid 402, front door, ${name}, requests/s, ${unpaidConnections} connections`,
      ours: median(mine).toFixed(0),
      baseline: `${median(rates.official).toFixed(0)} withX402 on Next`,
      ratio,
      aim: '>= 10x',
      isMet: ratio >= 10,
    };
  };
  return [row('x402', rates.x402), row('MPP', rates.mpp), row('MPP with a body', rates.mppWithBody)];
}
