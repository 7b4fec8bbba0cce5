import * as dryRun from './dry-run';
import * as forms from './forms';
import * as free from './free';
import type { FreeOperation } from './free-operation';
import type { Operation } from './operation';
import * as render from './render';
import * as uploads from './uploads';

/** Everything that is sold, in the order in which documents list it. */
export const operations: readonly Operation[] = [
  uploads.create,
  uploads.renew,
  uploads.remove,
  render.pdf,
  forms.create,
];

/** Everything that costs nothing and is for callers, likewise. */
export const freeOperations: readonly FreeOperation[] = [
  forms.responses,
  free.prices,
  dryRun.check,
  free.paidCall,
  free.health,
];

export { dryRun, forms, free, render, uploads };
