import type { Clock } from './clock';
import type { DataKeys } from './data-keys';
import type { Logger } from './log';
import type { OngoingProblems } from './ongoing-problem';
import type { Settings } from './settings';
import type { Timings } from './timings';

/**
 * What every part of the app stands on. Functions take the app as their first argument, as much of it as they need:
 * this, or one of the interfaces that extend it. `createApp` (lib/app) builds it whole; nothing here is global.
 */
export interface Platform {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly timings: Timings;
  readonly log: Logger;
  readonly keys: DataKeys;
  readonly problems: OngoingProblems;
}
