import { takeDeposit } from '@/lib/accounts/deposit';
import { searchAirports } from '@/lib/airports/search';
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
import { flightOffer } from '@/lib/flights/offer';
import { flightSearch } from '@/lib/flights/search';
import { createForm } from '@/lib/forms/create';
import { renderPdf } from '@/lib/render/pdf';
import { crawlScrape } from '@/lib/research/crawl-scrape';
import { crawlSearch } from '@/lib/research/crawl-search';
import { neuralAnswer } from '@/lib/research/neural-answer';
import { neuralContents } from '@/lib/research/neural-contents';
import { neuralFindSimilar } from '@/lib/research/neural-find-similar';
import { neuralSearch } from '@/lib/research/neural-search';
import { serpImages, serpNews, serpSearch, serpShopping } from '@/lib/research/serp';
import type { Service } from '@/lib/service';
import { createUpload } from '@/lib/uploads/create';
import { removeUpload } from '@/lib/uploads/remove';
import { renewUpload } from '@/lib/uploads/renew';

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
