import type { StateFile } from './account/state-file';
import type { Settings } from './settings';

/** What every tool gets. */
export interface Adapter {
  readonly settings: Settings;
  readonly stateFile: StateFile;
  readonly now: () => Date;
}
