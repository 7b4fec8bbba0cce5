import { operations } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import type { FairLimit } from '@/lib/platform/concurrency/fair-limit';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import type { WithThreads } from '@/lib/platform/threads';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { crawlScrape, crawlSearch } from '@/lib/services/research/crawl';
import {
  neuralAnswer,
  neuralContents,
  neuralFindSimilar,
  neuralSearch,
} from '@/lib/services/research/neural';
import { takeDeposit } from './accounts/deposit';
import { searchAirports } from './airports/search-airports';
import { flightOffer } from './flights/offer';
import { flightSearch } from './flights/search-flights';
import { createForm } from './forms/create';
import type { ResponseSignals } from './forms/response-signals';
import type { PrintingPool } from './render/chromium/printing-pool';
import { renderPdf } from './render/pdf';
import type { ReadingPool } from './research/reader/reading-pool';
import { serpImages, serpNews, serpSearch, serpShopping } from './research/serp';
import type { UnreadSites } from './research/unread-sites';
import type { Service } from './service';
import { createUpload } from './uploads/create';
import type { LinkTraffic } from './uploads/link-traffic';
import { removeUpload } from './uploads/remove';
import { renewUpload } from './uploads/renew';

/** What all services together need from the app. Each of their functions takes the few parts that it uses. */
export interface ServicesApp extends Platform, WithDatabase, WithStore, WithThreads, WithUpstream {
  readonly printing: PrintingPool;
  readonly reading: ReadingPool;
  readonly unreadSites: UnreadSites;
  readonly offerLookups: FairLimit;
  readonly responseSignals: ResponseSignals;
  readonly linkTraffic: LinkTraffic;
}

/** A service of any operation. Its input has been parsed by the operation's schemas. */
export type AnyService = Service<Operation, ServicesApp>;

/** Every paid service. An operation without one, or with two, fails tests/unit/services.spec.ts. */
export const services = [
  createUpload,
  renewUpload,
  removeUpload,
  renderPdf,
  createForm,
  neuralSearch,
  neuralContents,
  neuralFindSimilar,
  neuralAnswer,
  crawlScrape,
  crawlSearch,
  serpSearch,
  serpNews,
  serpImages,
  serpShopping,
  flightSearch,
  flightOffer,
  searchAirports,
  takeDeposit,
];

// Each service is typed for its own operation. Here the types are not needed.
const byOperation = new Map(services.map((one) => [one.operation.id, one as unknown as AnyService]));

/** The service of an operation; null for one that is no longer offered. */
export function findService(operationId: string): AnyService | null {
  return byOperation.get(operationId) ?? null;
}

/** Every service, in the order of the catalog. */
export function allServices(): readonly AnyService[] {
  return operations.flatMap(({ id }) => findService(id) ?? []);
}
