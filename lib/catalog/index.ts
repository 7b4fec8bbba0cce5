import * as account from './account';
import * as billing from './billing';
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
  billing.deposit,
];

/** Everything that costs nothing and is for callers, likewise. */
export const freeOperations: readonly FreeOperation[] = [
  forms.responses,
  account.create,
  account.get,
  account.transactions,
  account.listUploads,
  account.deleteUpload,
  account.rotateToken,
  account.revokeToken,
  free.prices,
  dryRun.check,
  free.paidCall,
  free.health,
];

export { account, billing, dryRun, forms, free, render, uploads };
