import type { Operation } from '@/lib/catalog/operation';
import type { Site } from './openapi/site';

/** A page of the documentation that is written in Markdown. */
export interface Guide {
  /** `/docs/{name}` */
  readonly name: string;
  readonly title: string;
  /** Its first sentence. */
  readonly summary: string;
}

/** Everything that documents say and the catalog does not know. */
export interface Place extends Site {
  readonly guides: readonly Guide[];
  /** Whether this service can do it: what no provider is configured for is not advertised to agents. */
  readonly isOnSale: (operation: Operation) => boolean;
}
