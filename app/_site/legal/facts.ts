import { currentApp } from '@/lib/app/current';
import { operations } from '@/lib/catalog';
import type { ProviderName } from '@/lib/catalog/providers';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { chosenProvider } from '@/lib/platform/upstream/availability';
import { plain } from './markdown';

/** What the pages about terms, privacy, contact and abuse say about this installation. */
export interface LegalFacts {
  readonly site: SiteConfig;
  /** The operator's name as Markdown, or words that stand for it. */
  readonly operator: string;
  /** Third parties that requests are forwarded to, with the calls that they serve. */
  readonly recipients: readonly { readonly name: string; readonly calls: readonly string[] }[];
  /** Whether a facilitator submits payments to a network. */
  readonly hasFacilitator: boolean;
  /** Origin of links to files. */
  readonly filesUrl: string;
  /** Who stores files. */
  readonly store: string;
}

type ThirdParty = Exclude<ProviderName, 'reader' | 'searxng'>;

const thirdParties: Readonly<Record<ThirdParty, string>> = {
  duffel: 'Duffel (duffel.com)',
  exa: 'Exa (exa.ai)',
  firecrawl: 'Firecrawl (firecrawl.dev)',
  serper: 'Serper (serper.dev)',
};
/** The operator's own search server asks public search engines. */
const ownSearch = 'public search engines, through the operator’s own search server';
const isThirdParty = (name: ProviderName): name is ThirdParty => Object.hasOwn(thirdParties, name);

const stores = {
  disk: 'the operator’s server',
  s3: 'an object store that the operator rents or runs',
  'vercel-blob': 'Vercel Blob',
} as const;

export function legalFacts(site: SiteConfig): LegalFacts {
  const { settings } = currentApp();
  return {
    site,
    operator: site.operator.name === null ? 'the operator' : plain(site.operator.name),
    recipients: recipients(),
    hasFacilitator: settings.FACILITATOR_URL.size > 0,
    filesUrl: settings.FILES_URL,
    store: stores[settings.STORAGE],
  };
}

function recipients(): LegalFacts['recipients'] {
  const found = new Map<string, string[]>();
  for (const { providers = [], title } of operations) {
    const name = chosenProvider(currentApp(), providers);
    if (name === null || name === 'reader') continue;
    const recipient = isThirdParty(name) ? thirdParties[name] : ownSearch;
    found.set(recipient, [...(found.get(recipient) ?? []), title]);
  }
  return [...found].map(([name, calls]) => ({ name, calls }));
}
