import { formatNames, type PageRequest, pdfPages, readsImages } from './firecrawl-requests';

/** A page as Firecrawl read it, or why it could not be read. `afterMs` is how long it takes. */
export type ReadPage =
  | { readonly data: Record<string, unknown>; readonly afterMs: number }
  | { readonly status: number; readonly code: string; readonly afterMs: number };

/** How long a page takes whose host contains `sandbox-page-slow`. */
const slowMs = 120_000;
const pdfLength = 12;
const filePattern = /\.([a-z0-9]+)(?:[?#]|$)/i;

/**
 * Reads a page that is made up from its URL. `sandbox-page-<name>` in a URL is a page that behaves in its own way: `slow`,
 * `guarded` (only a better proxy gets it), `self-signed`, `404` (it answers so itself), `throttled` (the account has too many
 * calls at a time).
 */
export function readPage(url: string, request: PageRequest): ReadPage {
  const behaviour = /sandbox-page-([a-z0-9-]+)/.exec(url)?.[1];
  const [, ending = ''] = filePattern.exec(new URL(url).pathname) ?? [];
  if (behaviour === 'slow') {
    const limit = limitOf(request);
    if (limit < slowMs) return { status: 408, code: 'SCRAPE_TIMEOUT', afterMs: limit };
    return { ...pageOf(url, request), afterMs: slowMs };
  }
  if (behaviour === 'guarded' && request.proxy === 'basic') return failed('SCRAPE_ALL_ENGINES_FAILED');
  if (behaviour === 'self-signed' && request.skipTlsVerification === false) return failed('SCRAPE_SSL_ERROR');
  if (/^(png|jpe?g|gif|webp)$/i.test(ending) && !readsImages(request))
    return failed('SCRAPE_UNSUPPORTED_FILE_ERROR');
  return { ...(/^pdf$/i.test(ending) ? pdfOf(url, request) : pageOf(url, request, behaviour)), afterMs: 0 };
}

/** Without a limit of its own, a page is waited for as long as it takes. */
function limitOf({ timeout, proxy = 'auto' }: PageRequest): number {
  // A default limit is raised for proxies that take longer.
  if (timeout === 30_000 && proxy === 'auto') return 120_000;
  return timeout ?? Number.POSITIVE_INFINITY;
}

const failed = (code: string) => ({ status: 500, code, afterMs: 0 });

function pageOf(url: string, request: PageRequest, behaviour?: string) {
  const contents: Record<string, unknown> = {
    markdown: `# A page\n\nMarkdown of ${url}, from the sandbox.`,
    html: '<h1>A page</h1>',
    rawHtml: '<!doctype html><title>A page</title><h1>A page</h1>',
    links: [`${url}#more`],
    images: [],
    summary: 'A summary from the sandbox.',
  };
  const isThrottled = behaviour === 'throttled';
  const metadata = {
    title: 'A page',
    sourceURL: url,
    url,
    // A page that answers with an error is still scraped: only its metadata shows the error.
    statusCode: behaviour === '404' ? 404 : 200,
    contentType: 'text/html',
    proxyUsed: 'basic',
    creditsUsed: 1,
    ...(isThrottled ? { concurrencyLimited: true, concurrencyQueueDurationMs: 4_100 } : {}),
  };
  const wanted = formatNames(request).map((name) => [name, contents[name]]);
  return {
    data: { ...Object.fromEntries(wanted), ...(isThrottled ? { warning: throttled } : {}), metadata },
  };
}

/** Firecrawl says this to the owner of the account. */
const throttled =
  'A secret: this scrape job was throttled at your current concurrency limit. If you want to scrape faster, upgrade your plan.';
export const exhausted =
  'A secret: your requests are exhausting your concurrent browsers limit, consider upgrading your plan.';

/** A PDF of a dozen pages. Without a parser for it, its bytes are its Markdown. */
function pdfOf(url: string, request: PageRequest) {
  const pages = pdfPages(request);
  const metadata = {
    sourceURL: url,
    url,
    statusCode: 200,
    contentType: 'application/pdf',
    proxyUsed: 'basic',
  };
  if (pages === null) {
    const markdown = Buffer.from(`%PDF-1.7\n${'sandbox '.repeat(50_000)}\n%%EOF`).toString('base64');
    return { data: { markdown, metadata: { ...metadata, creditsUsed: 1 } } };
  }
  const numPages = Math.min(pages, pdfLength);
  const markdown = Array.from({ length: numPages }, (_, index) => `# Page ${index + 1}`).join('\n\n');
  const title = 'A report';
  return {
    data: {
      markdown,
      metadata: { ...metadata, title, numPages, totalPages: pdfLength, creditsUsed: numPages },
    },
  };
}
