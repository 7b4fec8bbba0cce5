import type { AdapterFileName } from '@/lib/catalog/adapter';
import type { LinkLimits } from '@/lib/catalog/link-limits';
import type { Operation } from '@/lib/catalog/operation';
import type { Offer } from '@/lib/payments/network-offers';
import type { OperatorDetails } from '@/lib/platform/public-operator';
import type { PaymentFlow } from '@/lib/platform/upstream/availability';

/** A documentation page written in Markdown. */
export interface Guide {
  /** `/docs/{name}` */
  readonly name: string;
  readonly title: string;
  /** What it is about, in a sentence. */
  readonly summary: string;
}

/** What documents contain in addition to the catalog. */
export interface SiteConfig extends Site {
  readonly guides: readonly Guide[];
  /** Where the source code can be read, and where one of its files can be edited; null if the operator does not say. */
  readonly source: { readonly url: string | null; readonly editUrl: string | null };
  /** SHA-256 of the files of the MCP adapter, 64 lower case hex digits each. */
  readonly adapterDigests: Readonly<Record<AdapterFileName, string>>;
  /** Whether an operation is available here. One without a configured provider is not advertised to agents. */
  readonly isAvailable: (operation: Operation) => boolean;
  /** When an operation is charged here. */
  readonly flowOf: (operation: Operation) => PaymentFlow;
}

/** The public URL and the networks, which come from the settings. */
export interface Site {
  /** Origin without a trailing slash. */
  readonly publicUrl: string;
  readonly offers: readonly Offer[];
  /** Whether these are test networks. */
  readonly isTest: boolean;
  readonly linkLimits: LinkLimits;
  readonly operator: OperatorDetails;
}
