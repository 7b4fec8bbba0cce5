import { channelBugs } from './bugs-channels';
import { moneyBugs } from './bugs-money';
import { orderBugs } from './bugs-orders';
import { wallBugs } from './bugs-walls';

/** A piece of a file to replace. It must occur exactly once. */
export interface Change {
  /** The path from the root; a new file if `find` is empty. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/**
 * A mistake that someone could make, and the tests that must find it. It must not be in code that only pages use, because the
 * pages are built once for all bugs.
 */
export interface PlantedBug {
  /** The resulting fault. */
  readonly bug: string;
  readonly changes: readonly Change[];
  /** Test files, at least one of which must fail: the cheapest that find it. */
  readonly foundBy: readonly string[];
  /** Why no cheaper test finds it, if these need servers. */
  readonly needsServers?: string;
}

export const plantedBugs: readonly PlantedBug[] = [...moneyBugs, ...orderBugs, ...channelBugs, ...wallBugs];
