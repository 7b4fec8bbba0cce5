import type { Bench } from './bench';
import { type FloodRate, floodRows, measureFloodRate } from './flood-rate';
import type { Row } from './table';

/** How many connections send unpaid requests, each again after the previous 402. */
export const unpaidConnections = 16;

/** Sends unpaid calls to a server for some time. Returns its 402 responses per second, and fails on any other response. */
export function measureUnpaidRate(
  bench: Bench,
  { url, pid }: { url: string; pid: number },
  durationMs: number,
  body?: string,
): Promise<FloodRate> {
  const headers: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const how = { connections: unpaidConnections, durationMs, status: 402 };
  return measureFloodRate(bench, pid, { method: 'POST', url, headers, body }, how);
}

/** Compares unpaid calls to our server with those to a baseline. */
export function unpaidRows(
  name: string,
  aim: number | null,
  ours: readonly FloodRate[],
  baseline: { label: string; rates: readonly FloodRate[] },
): Row[] {
  return floodRows(`${name}, requests/s, ${unpaidConnections} connections`, aim, ours, baseline);
}
