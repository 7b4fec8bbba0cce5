import type { Platform } from '@/lib/platform/platform';
import { type Finding, ok, skipped, warning } from './finding';
import { bazaar, type Catalog, catalogs } from './listing-rules';
import { type Published, readPublished } from './published';

type ListingsDeps = Pick<Platform, 'settings'>;

/** Whether public catalogs would list the service, by their own published rules, which are applied to what it publishes. */
export async function checkListings(app: ListingsDeps): Promise<Finding[]> {
  const published = await readPublished(app).catch(() => null);
  if (!published)
    return [skipped('listings', 'the documents cannot be read at PUBLIC_URL, so no catalog can read them')];
  return catalogs.map((catalog) => findingOf(app, catalog, published));
}

const noHttps = {
  message: 'PUBLIC_URL is not an https address',
  advice: 'Set it to the https address of the service.',
};

function findingOf(app: ListingsDeps, catalog: Catalog, published: Published): Finding {
  const { name, howTo, httpsOnly: source } = catalog;
  const { publicUrl } = published;
  const [first, ...others] = [
    ...(publicUrl.startsWith('https:') || isLocal(publicUrl) ? [] : [{ ...noHttps, source }]),
    ...catalog.obstacles(published),
  ];
  if (first) {
    const messages = [first, ...others].map(({ message }) => message).join('; ');
    const advice = `${first.advice} The rule: ${first.source}`;
    return warning(name, `it would not list the service: ${messages}`, advice);
  }
  if (isLocal(publicUrl)) return skipped(name, 'nothing but the address of this machine is in the way');
  if (catalog === bazaar && !isSettledByCoinbase(app))
    return skipped(name, 'it lists calls whose payments Coinbase settles, and here it settles none');
  return ok(name, `it would list ${published.x402.length} calls: ${howTo}`);
}

const isLocal = (url: string) => /^(localhost|127\.|\[::1\])/.test(new URL(url).host);

/** https://docs.cdp.coinbase.com/x402/bazaar */
function isSettledByCoinbase({ settings }: ListingsDeps): boolean {
  const urls = (['BASE', 'POLYGON', 'ARBITRUM', 'SOLANA'] as const).map((name) =>
    settings.FACILITATOR_URL.get(name),
  );
  return urls.some((url) => url !== undefined && new URL(url).hostname.endsWith('.cdp.coinbase.com'));
}
