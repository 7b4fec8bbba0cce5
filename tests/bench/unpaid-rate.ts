import type { Bench } from './bench';
import type { Flood } from './load-protocol';

/** How many connections ask without paying, each for its next 402 when it has one. */
export const unpaidConnections = 16;

/** Unpaid calls of an address for some time: how many a second are answered with 402, and nothing else is. */
export async function measureUnpaidRate(bench: Bench, url: string, durationMs: number, body?: string) {
  const headers: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const job: Flood = {
    kind: 'flood',
    request: { method: 'POST', url, headers, body },
    connections: unpaidConnections,
    durationMs,
  };
  const { statuses, elapsedMs } = await bench.load.run(job);
  const others = Object.keys(statuses).filter((status) => status !== '402');
  if (others.length > 0) throw new Error(`${url} answered ${others.join(', ')} instead of 402`);
  return ((statuses[402] ?? 0) * 1_000) / elapsedMs;
}
