import type { Timings } from '@/lib/platform/timings';

/** A test's request to a host (program.ts). */
export type HostRequest =
  | { readonly do: 'start'; readonly settings: Record<string, string>; readonly timings: Timings }
  | { readonly do: 'kill' }
  | { readonly do: 'set time'; readonly aheadMs: number };

/** The host's response; without `failure`, the request succeeded. */
export interface HostAnswer {
  readonly failure?: string;
}
