import { allOf, oneOf } from '@/app/_page/series';
import { currentApp } from '@/lib/app/current';
import { operations } from '@/lib/catalog';
import { depositLimits } from '@/lib/catalog/billing';
import { formLimits } from '@/lib/catalog/form-questions';
import type { ProviderName } from '@/lib/catalog/providers';
import { uploadLimits } from '@/lib/catalog/uploads';
import { offersOf } from '@/lib/discovery/openapi/payment-info';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { answerLifeDays } from '@/lib/ledger/kept-answer';
import { chosenProvider } from '@/lib/platform/upstream/availability';
import { restorableDays } from '@/lib/services/abuse-reports';
import { copySeconds } from '@/lib/services/forms/sent-copy';
import { mailLink, pageLink, plain } from './markdown';
import type { Slots } from './slots';

/** Third parties that requests are forwarded to, with the calls that they serve. */
type Recipients = readonly { readonly name: string; readonly calls: readonly string[] }[];

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

/** What the pages about terms, privacy, contact and abuse say about this installation. */
export function legalFacts(site: SiteConfig): Slots {
  const { settings } = currentApp();
  return {
    ...operatorFacts(site),
    ...paymentFacts(site),
    ...limits,
    publicUrl: site.publicUrl,
    store: stores[settings.STORAGE],
    facilitator: settings.FACILITATOR_URL.size > 0,
    recipients: recipientLines(recipients()),
  };
}

function operatorFacts({ publicUrl, operator }: SiteConfig): Slots {
  const { name, email, abuseEmail, securityEmail, address, law, termsDate, termsUrl, privacyUrl } = operator;
  return {
    named: name !== null,
    operator: name === null ? 'the operator' : plain(name),
    host: plain(new URL(publicUrl).host),
    email: email !== null && mailLink(email),
    abuseEmail: abuseEmail !== null && mailLink(abuseEmail),
    securityEmail: securityEmail !== null && mailLink(securityEmail),
    address: address !== null && plain(address),
    law: law !== null && plain(law),
    date: termsDate !== null && dateInWords(termsDate),
    termsLink: termsUrl !== null && pageLink(termsUrl),
    privacyLink: privacyUrl !== null && pageLink(privacyUrl),
  };
}

function paymentFacts(site: SiteConfig): Slots {
  const prices = operations
    .filter((operation) => !operation.variablePrice && site.isAvailable(operation))
    .map(({ price }) => Number(price));
  const networks = offersOf('x402', site).map(({ network }) => network.label);
  return {
    priceMin: String(Math.min(...prices)),
    priceMax: String(Math.max(...prices)),
    networks: oneOf.format(networks),
    severalNetworks: networks.length > 1,
    testOnly: site.isTest,
  };
}

const copyHours = copySeconds / 3_600;

const limits: Slots = {
  depositMin: String(depositLimits.min),
  depositMax: String(depositLimits.max),
  fileDays: String(uploadLimits.retentionDays),
  fileDaysMax: String(uploadLimits.retentionDaysMax),
  formDays: String(formLimits.openDays),
  formResponses: String(formLimits.responsesMax),
  formReadableDays: String(formLimits.readableDays),
  formCopyTime: copyHours === 1 ? 'one hour' : `${copyHours} hours`,
  answerDays: String(answerLifeDays),
  restorableDays: String(restorableDays),
};

function recipients(): Recipients {
  const found = new Map<string, string[]>();
  for (const { providers = [], title } of operations) {
    const name = chosenProvider(currentApp(), providers);
    if (name === null || name === 'reader') continue;
    const recipient = isThirdParty(name) ? thirdParties[name] : ownSearch;
    found.set(recipient, [...(found.get(recipient) ?? []), title]);
  }
  return [...found].map(([name, calls]) => ({ name, calls }));
}

function recipientLines(found: Recipients): string | false {
  const lines = found.map(({ name, calls }) => {
    const titles = allOf.format([...new Set(calls)].map((title) => `“${title}”`));
    return `- ${name}: what you send with ${titles}, without your wallet or network address.`;
  });
  return lines.length > 0 && lines.join('\n');
}

/** A date of the settings in American English. */
function dateInWords(date: string): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date));
}
