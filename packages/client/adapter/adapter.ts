import type { StateFile } from '../account/state-file';
import type { Payer } from '../calls/payer';
import type { Settings } from '../settings';

/** What every tool and command gets. */
export interface Adapter {
  readonly settings: Settings;
  readonly stateFile: StateFile;
  readonly now: () => Date;
  /** Who pays, if not the account of this machine. */
  readonly payer?: Payer;
  /** The caller's own key, for a program that makes one call. */
  readonly idempotencyKey?: string;
}
