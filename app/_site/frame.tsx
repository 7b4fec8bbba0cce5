import type { ReactNode } from 'react';
import { legalAddresses } from '@/app/_page/legal-links';
import { StyleLinks } from '@/app/_page/style-links';
import { TestBanner } from '@/app/_page/test-banner';
import { currentApp } from '@/lib/app/current';
import { about } from '@/lib/catalog/about';
import type { Assets } from '@/lib/http/page-assets';
import { SearchForm } from './docs/search-form';

export interface FrameProps {
  readonly assets: Assets;
  /** Origin of this service, for absolute URLs. */
  readonly publicUrl: string;
  /** The path of the page. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** Stands beside the content, or above it on narrow screens. */
  readonly sidebar?: ReactNode;
  readonly children: ReactNode;
}

/** The areas of the site in its header, the innermost last. Pages elsewhere belong to one by its third entry. */
const navigation: readonly (readonly [href: string, words: string, others?: readonly string[]])[] = [
  ['/docs', 'Docs'],
  ['/docs/reference', 'Reference', ['/docs/errors', '/docs/discovery']],
  ['/#prices', 'Prices'],
  ['/docs/status', 'Status'],
];

/** The area that a page is in, by the path of its link. */
function areaOf(path: string): string | undefined {
  const holding = navigation.filter(
    ([href, , others = []]) => path === href || path.startsWith(`${href}/`) || others.includes(path),
  );
  return holding.at(-1)?.[0];
}

/** The layout of every page of the site. It works without a script, which only adds copy buttons. */
export function Frame(props: FrameProps): ReactNode {
  const { assets, publicUrl, path, title, description, sidebar, children } = props;
  const full = path === '/' ? `${about.name}: ${title}` : `${title} · ${about.name}`;
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>{full}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content={description} />
        <meta name="color-scheme" content="light dark" />
        <meta property="og:title" content={full} />
        <meta property="og:description" content={description} />
        <meta property="og:type" content="website" />
        <meta property="og:url" content={publicUrl + path} />
        <meta property="og:image" content={`${publicUrl}/og.png`} />
        <meta property="og:image:alt" content={`${about.name}: pay-per-call APIs for AI agents`} />
        <meta name="twitter:card" content="summary_large_image" />
        <link rel="canonical" href={publicUrl + path} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="api-catalog" href="/.well-known/api-catalog" />
        <link rel="service-desc" href="/openapi.json" type="application/json" />
        <StyleLinks page="site" assets={assets} />
        {/* In the reference it chooses a sample, whose height decides where the rest stands. */}
        <script
          type="module"
          src={`/site/assets/${assets.script}`}
          blocking={path.startsWith('/docs/reference/') ? 'render' : undefined}
        />
      </head>
      <body>
        <a className="skip" href="#content">
          Skip to content
        </a>
        <TestBanner />
        <header className="site-header">
          <nav aria-label="Main">
            <a className="brand" href="/" aria-current={path === '/' ? 'page' : undefined}>
              {/* biome-ignore lint/performance/noImgElement: a 600-byte drawing on a page without the framework's runtime. */}
              <img src="/favicon.svg" width="28" height="28" alt="" /> {about.name}
            </a>
            <ul>
              {navigation.map(([href, words]) => (
                <li key={href}>
                  <a href={href} aria-current={currentIn(href, path)}>
                    {words}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <SearchForm label="Documentation" />
        </header>
        <div className={sidebar ? 'with-sidebar' : undefined}>
          {sidebar}
          <main id="content" tabIndex={-1}>
            {children}
          </main>
        </div>
        <Footer />
      </body>
    </html>
  );
}

function currentIn(href: string, path: string): 'page' | 'true' | undefined {
  if (href === path) return 'page';
  return href === areaOf(path) ? 'true' : undefined;
}

function Footer(): ReactNode {
  const { terms, privacy } = legalAddresses();
  const { SOURCE_URL: source } = currentApp().settings;
  return (
    <footer className="site-footer">
      <nav aria-label="More">
        <FooterLinks
          title="Product"
          links={{
            Docs: '/docs',
            Reference: '/docs/reference',
            Prices: '/#prices',
            'Verify a receipt': '/receipts',
            'Payment simulator': '/simulator',
          }}
        />
        <FooterLinks
          title="This service"
          links={{
            Status: '/docs/status',
            Changelog: '/docs/changelog',
            'Self-hosting': '/docs/self-hosting',
            ...(source ? { 'Source code': source } : {}),
          }}
        />
        <FooterLinks
          title="Developers"
          links={{
            'llms.txt': '/llms.txt',
            OpenAPI: '/openapi.json',
            'API catalog': '/.well-known/api-catalog',
            'Price list (JSON)': '/v1/tools/prices',
          }}
        />
        <FooterLinks
          title="Legal"
          links={{ Terms: terms, Privacy: privacy, Contact: '/contact', 'Report abuse': '/abuse' }}
        />
      </nav>
      <p>
        {about.name} {about.version}, open source under the MIT license.
      </p>
    </footer>
  );
}

interface FooterLinksProps {
  readonly title: string;
  /** Addresses by what they are called. */
  readonly links: Readonly<Record<string, string>>;
}

function FooterLinks({ title, links }: FooterLinksProps): ReactNode {
  return (
    <div>
      <p>{title}</p>
      <ul aria-label={title}>
        {Object.entries(links).map(([words, href]) => (
          <li key={words}>
            <a href={href}>{words}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}
