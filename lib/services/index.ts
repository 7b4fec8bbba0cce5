import {
  airports,
  billing,
  crawl,
  flights,
  forms,
  neural,
  operations,
  render,
  serp,
  uploads,
} from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { takeDeposit } from '@/lib/services/accounts/deposit';
import { searchAirports } from '@/lib/services/airports/search';
import { flightOffer } from '@/lib/services/flights/offer';
import { flightSearch } from '@/lib/services/flights/search';
import { createForm } from '@/lib/services/forms/create';
import { renderPdf } from '@/lib/services/render/pdf';
import { crawlScrape } from '@/lib/services/research/crawl-scrape';
import { crawlSearch } from '@/lib/services/research/crawl-search';
import { neuralAnswer } from '@/lib/services/research/neural-answer';
import { neuralContents } from '@/lib/services/research/neural-contents';
import { neuralFindSimilar } from '@/lib/services/research/neural-find-similar';
import { neuralSearch } from '@/lib/services/research/neural-search';
import { serpImages, serpNews, serpSearch, serpShopping } from '@/lib/services/research/serp';
import type { Service } from '@/lib/services/service';
import { createUpload } from '@/lib/services/uploads/create';
import { removeUpload } from '@/lib/services/uploads/remove';
import { renewUpload } from '@/lib/services/uploads/renew';

/** What a call needs to be finished without the request that began it. */
export interface Work {
  readonly operation: Operation;
  readonly service: Service;
}

/** The services by operation, for whoever finishes calls without their request. A test holds it against the catalog. */
const services: Readonly<Record<string, unknown>> = {
  [uploads.create.id]: createUpload,
  [uploads.renew.id]: renewUpload,
  [uploads.remove.id]: removeUpload,
  [render.pdf.id]: renderPdf,
  [forms.create.id]: createForm,
  [neural.search.id]: neuralSearch,
  [neural.contents.id]: neuralContents,
  [neural.findSimilar.id]: neuralFindSimilar,
  [neural.answer.id]: neuralAnswer,
  [crawl.scrape.id]: crawlScrape,
  [crawl.search.id]: crawlSearch,
  [serp.search.id]: serpSearch,
  [serp.news.id]: serpNews,
  [serp.images.id]: serpImages,
  [serp.shopping.id]: serpShopping,
  [flights.search.id]: flightSearch,
  [flights.offer.id]: flightOffer,
  [airports.search.id]: searchAirports,
  [billing.deposit.id]: takeDeposit,
};

/** @returns null for an operation that is not sold any more */
export function workFor(operationId: string): Work | null {
  const operation = operations.find(({ id }) => id === operationId);
  const service = services[operationId];
  // Each service above is typed for the operation beside it; the pair is handed on together.
  return operation && service ? { operation, service: service as Service } : null;
}

/** Everything that is sold, with what does it. */
export function everyWork(): Work[] {
  return operations.flatMap(({ id }) => workFor(id) ?? []);
}
