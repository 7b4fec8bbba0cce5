import type { Metrics } from '@/lib/platform/metrics/metrics';
import type { Clock } from './clock';
import type { DataKeys } from './data-keys';
import type { Logger } from './log';
import type { OngoingProblems } from './ongoing-problem';
import type { Settings } from './settings';
import type { Siblings } from './siblings';
import type { Timings } from './timings';

/**
 * The parts of the app that everything needs. Functions take the app as their first argument, typed with only the parts they
 * need, such as `Pick<Platform, 'clock' | 'log'>`. `createApp` (lib/app) builds it. Nothing here is global.
 */
export interface Platform {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly timings: Timings;
  readonly log: Logger;
  readonly keys: DataKeys;
  readonly problems: OngoingProblems;
  readonly metrics: Metrics;
  /** The other processes with the same parent; null when there are none. */
  readonly siblings: Siblings | null;
}

/** The parts that settling on a chain uses: time, and where to report. It reads no settings and no keys. */
export type ChainPlatform = Pick<Platform, 'clock' | 'timings' | 'log' | 'problems' | 'metrics' | 'siblings'>;
