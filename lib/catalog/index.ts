import * as crawl from './crawl';
import * as forms from './forms';
import * as free from './free';
import type { FreeOperation } from './free-operation';
import * as neural from './neural';
import type { Operation } from './operation';
import * as render from './render';
import * as serp from './serp';
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
];

/** Everything that costs nothing and is for callers, likewise. */
export const freeOperations: readonly FreeOperation[] = [
  forms.responses,
  free.prices,
  free.paidCall,
  free.health,
];

export { crawl, forms, free, neural, render, serp, uploads };
