import type { Timings } from '@/lib/platform/timings';

/** What a test asks of a host (program.ts). */
export type HostRequest =
  | { readonly do: 'start'; readonly settings: Record<string, string>; readonly timings: Timings }
  | { readonly do: 'kill' };

/** Its answer; without a failure it is done. */
export interface HostAnswer {
  readonly failure?: string;
}
