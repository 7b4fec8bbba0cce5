import type { Bench } from './bench';
import { cpuMs } from './cpu-time';
import type { LoadRequest } from './load-protocol';
import { median } from './rounds';
import type { Row } from './table';

/** How fast a server answers a flood of identical requests. */
export interface FloodRate {
  readonly perSecond: number;
  /** CPU time of the server per response; null if it cannot be read. */
  readonly cpuMs: number | null;
}

/**
 * Sends the same request to a server for some time.
 * @param how.connections how many send it, each again after the previous response
 * @param how.status of every response; fails on any other
 */
export async function measureFloodRate(
  bench: Bench,
  pid: number,
  request: LoadRequest,
  how: { connections: number; durationMs: number; status: number },
): Promise<FloodRate> {
  const { connections, durationMs, status } = how;
  const before = cpuMs(pid);
  const { statuses, elapsedMs } = await bench.load.run({ kind: 'flood', request, connections, durationMs });
  const after = cpuMs(pid);
  const others = Object.keys(statuses).filter((one) => one !== String(status));
  if (others.length > 0) throw new Error(`${request.url} answered ${others.join(', ')} instead of ${status}`);
  const answers = statuses[status] ?? 0;
  return {
    perSecond: (answers * 1_000) / elapsedMs,
    cpuMs: before === null || after === null ? null : (after - before) / answers,
  };
}

/** Compares us with a baseline: by the rate, and by the cost per response, which a busy machine affects less. */
export function floodRows(
  name: string,
  aim: number | null,
  ours: readonly FloodRate[],
  baseline: { label: string; rates: readonly FloodRate[] },
): Row[] {
  const [mine, theirs] = [ours, baseline.rates].map((rates) =>
    median(rates.map(({ perSecond }) => perSecond)),
  );
  const [myCost, theirCost] = [ours, baseline.rates].map((rates) => {
    const costs = rates.map((rate) => rate.cpuMs);
    return costs.includes(null) ? null : median(costs as number[]);
  });
  if (mine === undefined || theirs === undefined) throw new Error('nothing was measured');
  const ratio = mine / theirs;
  const isKnown = typeof myCost === 'number' && typeof theirCost === 'number';
  return [
    {
      name,
      ours: mine.toFixed(0),
      baseline: `${theirs.toFixed(0)} ${baseline.label}`,
      ratio,
      aim: aim === null ? '' : `>= ${aim}x`,
      isMet: aim === null ? null : ratio >= aim,
    },
    {
      name: '  CPU ms of the server per answer',
      ours: isKnown ? myCost.toFixed(2) : 'Linux only',
      baseline: isKnown ? theirCost.toFixed(2) : '',
      ratio: isKnown ? myCost / theirCost : null,
      aim: aim === null ? '' : `<= 1/${aim}`,
      isMet: isKnown && aim !== null ? myCost * aim <= theirCost : null,
    },
  ];
}
