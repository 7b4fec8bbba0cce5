import { channelBugs } from './bugs-channels';
import { moneyBugs } from './bugs-money';
import { wallBugs } from './bugs-walls';

/** A piece of a file that is replaced. It is there once. */
export interface Change {
  /** As a path from the root; a new file where `find` is empty. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A mistake that somebody could make, and the tests that have to find it. It is not in what only pages use: they are built once for all. */
export interface PlantedBug {
  /** What is wrong then. */
  readonly bug: string;
  readonly changes: readonly Change[];
  /** Test files of which at least one has to fail. */
  readonly foundBy: readonly string[];
}

export const plantedBugs: readonly PlantedBug[] = [...moneyBugs, ...channelBugs, ...wallBugs];
