import * as account from './account';
import * as airports from './airports';
import * as billing from './billing';
import * as crawl from './crawl';
import * as dryRun from './dry-run';
import * as flights from './flights';
import * as forms from './forms';
import * as free from './free';
import type { FreeOperation } from './free-operation';
import * as neural from './neural';
import type { Operation } from './operation';
import * as render from './render';
import * as serp from './serp';
import * as tools from './tools';
import * as uploads from './uploads';

/** Everything that is sold, in the order in which documents list it. */
export const operations: readonly Operation[] = [
  uploads.create,
  uploads.renew,
  uploads.remove,
  render.pdf,
  forms.create,
  neural.search,
  neural.contents,
  neural.findSimilar,
  neural.answer,
  crawl.scrape,
  crawl.search,
  serp.search,
  serp.news,
  serp.images,
  serp.shopping,
  flights.search,
  flights.offer,
  airports.search,
  billing.deposit,
];

/** Everything that costs nothing and is for callers, likewise. */
export const freeOperations: readonly FreeOperation[] = [
  forms.responses,
  tools.flightBookingLinks,
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

export {
  account,
  airports,
  billing,
  crawl,
  dryRun,
  flights,
  forms,
  free,
  neural,
  render,
  serp,
  tools,
  uploads,
};
