import * as account from './account';
import * as airports from './airports';
import * as billing from './billing';
import * as crawl from './crawl';
import * as dryRun from './dry-run';
import * as flights from './flights';
import * as formLinks from './form-links';
import * as formResponses from './form-responses';
import * as forms from './forms';
import * as free from './free';
import type { FreeOperation } from './free-operation';
import * as neural from './neural';
import type { Operation } from './operation';
import * as render from './render';
import * as serp from './serp';
import * as tools from './tools';
import * as uploads from './uploads';
import * as wallet from './wallet';

/** The paid and free operations of a catalog file. tests/unit/catalog.spec.ts fails if an entry is in neither list. */
export interface CatalogModule {
  readonly paid?: readonly Operation[];
  readonly free?: readonly FreeOperation[];
}

/** All catalog files, in the order in which documents list their operations. */
const modules: readonly CatalogModule[] = [
  uploads,
  render,
  forms,
  formResponses,
  formLinks,
  neural,
  crawl,
  serp,
  flights,
  airports,
  billing,
  tools,
  account,
  wallet,
  free,
];

export const operations: readonly Operation[] = modules.flatMap(({ paid = [] }) => paid);

/** All free operations for callers. */
export const freeOperations: readonly FreeOperation[] = modules.flatMap((entries) => entries.free ?? []);

export {
  account,
  airports,
  billing,
  crawl,
  dryRun,
  flights,
  formLinks,
  formResponses,
  forms,
  free,
  neural,
  render,
  serp,
  tools,
  uploads,
  wallet,
};
