import type { Bench } from './bench';
import type { Flood } from './load-protocol';
import { cpuMs } from './programs';
import { median } from './rounds';
import type { Row } from './table';

/** How many connections send unpaid requests, each after the previous 402. */
export const unpaidConnections = 16;

export interface UnpaidRate {
  readonly perSecond: number;
  /** CPU time of the server per response; null if it cannot be read. */
  readonly cpuMs: number | null;
}

/** Sends unpaid calls to a server for some time. Returns its 402 responses per second, and fails on any other response. */
export async function measureUnpaidRate(
  bench: Bench,
  server: { url: string; pid: number },
  durationMs: number,
  body?: string,
): Promise<UnpaidRate> {
  const { url, pid } = server;
  const headers: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const job: Flood = {
    kind: 'flood',
    request: { method: 'POST', url, headers, body },
    connections: unpaidConnections,
    durationMs,
  };
  const before = cpuMs(pid);
  const { statuses, elapsedMs } = await bench.load.run(job);
  const after = cpuMs(pid);
  const others = Object.keys(statuses).filter((status) => status !== '402');
  if (others.length > 0) throw new Error(`${url} answered ${others.join(', ')} instead of 402`);
  const answers = statuses[402] ?? 0;
  return {
    perSecond: (answers * 1_000) / elapsedMs,
    cpuMs: before === null || after === null ? null : (after - before) / answers,
  };
}

/** Compares us with a baseline: the rate, which has an aim, and the cost per response, which a busy machine affects less. */
export function unpaidRows(
  name: string,
  aim: number,
  ours: readonly UnpaidRate[],
  baseline: { label: string; rates: readonly UnpaidRate[] },
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
      name: `${name}, requests/s, ${unpaidConnections} connections`,
      ours: mine.toFixed(0),
      baseline: `${theirs.toFixed(0)} ${baseline.label}`,
      ratio,
      aim: `>= ${aim}x`,
      isMet: ratio >= aim,
    },
    {
      name: '  CPU ms of the server per answer',
      ours: isKnown ? myCost.toFixed(2) : 'Linux only',
      baseline: isKnown ? theirCost.toFixed(2) : '',
      ratio: isKnown ? myCost / theirCost : null,
      aim: '',
      isMet: null,
    },
  ];
}
