import { createHash } from 'node:crypto';
import { env } from '@/lib/env';
import type { Offer } from '@/lib/payments/networks';
import { payments } from '@/lib/runtime/payments';
import apiHeaders from './api-headers.json';
import { freeRoute } from './free-route';

/** What the settings add to the catalog in a document. */
interface Site {
  readonly publicUrl: string;
  readonly offers: readonly Offer[];
}

/** As the MPP discovery draft advises; crawlers come daily. */
const cacheControl = 'public, max-age=300';

/**
 * A route that serves a document made from catalog and settings: made once, open to every origin, revalidated by its
 * ETag. It names every configured network, also one that is away for the moment: challenges are what counts, and a
 * document that shrinks for a minute would cost us our entry in directories for a day.
 */
export function documentRoute(make: (site: Site) => unknown) {
  let made: { text: string; etag: string } | undefined;
  const makeOnce = () => {
    const text = JSON.stringify(make({ publicUrl: env().PUBLIC_URL, offers: payments().desk.all() }));
    return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` };
  };
  return freeRoute(async (request) => {
    made ??= makeOnce();
    const headers = { ...apiHeaders, 'Cache-Control': cacheControl, ETag: made.etag };
    if (isKnown(request.headers.get('if-none-match'), made.etag)) {
      return new Response(null, { status: 304, headers });
    }
    return new Response(made.text, { headers: { ...headers, 'Content-Type': 'application/json' } });
  });
}

/** If-None-Match compares weakly (RFC 9110, 13.1.2): proxies that compress mark our tag so. */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
