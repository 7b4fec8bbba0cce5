import { operations } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { crawlScrape, crawlSearch } from '@/lib/services/research/crawl';
import {
  neuralAnswer,
  neuralContents,
  neuralFindSimilar,
  neuralSearch,
} from '@/lib/services/research/neural';
import { takeDeposit } from './accounts/deposit';
import { searchAirports } from './airports/search';
import type { FlightsApp } from './flights/flights-app';
import { flightOffer } from './flights/offer';
import { flightSearch } from './flights/search';
import { createForm } from './forms/create';
import type { FormsApp } from './forms/forms-app';
import { renderPdf } from './render/pdf';
import type { RenderApp } from './render/render-app';
import type { ResearchApp } from './research/research-app';
import { serpImages, serpNews, serpSearch, serpShopping } from './research/serp';
import type { Service } from './service';
import { createUpload } from './uploads/create';
import { removeUpload } from './uploads/remove';
import { renewUpload } from './uploads/renew';
import type { UploadsApp } from './uploads/uploads-app';

/** What all services together need from the app. */
export interface ServicesApp extends FlightsApp, FormsApp, RenderApp, ResearchApp, UploadsApp {}

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
