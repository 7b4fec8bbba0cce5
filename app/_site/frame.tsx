import type { ReactNode } from 'react';
import { LegalLinks } from '@/app/_page/legal-links';
import { StyleLinks } from '@/app/_page/style-links';
import { TestBanner } from '@/app/_page/test-banner';
import { about } from '@/lib/catalog/about';
import type { Assets } from '@/lib/http/page-assets';
import { highlight } from './highlight';

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

const navigation = [
  ['/docs', 'Docs'],
  ['/docs/reference', 'Reference'],
  ['/docs/errors', 'Errors'],
  ['/llms.txt', 'For agents'],
] as const;

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
        <link rel="canonical" href={publicUrl + path} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="api-catalog" href="/.well-known/api-catalog" />
        <link rel="service-desc" href="/openapi.json" type="application/json" />
        <StyleLinks page="site" assets={assets} />
        <script type="module" src={`/site/assets/${assets.script}`} />
      </head>
      <body>
        <a className="skip" href="#content">
          Skip to content
        </a>
        <TestBanner />
        <header>
          <nav aria-label="Main">
            <a className="brand" href="/" aria-current={path === '/' ? 'page' : undefined}>
              {/* biome-ignore lint/performance/noImgElement: a 600-byte drawing on a page without the framework's runtime. */}
              <img src="/favicon.svg" width="28" height="28" alt="" /> {about.name}
            </a>
            <ul>
              {navigation.map(([href, words]) => (
                <li key={href}>
                  <a href={href} aria-current={href === path ? 'page' : undefined}>
                    {words}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        </header>
        <div className={sidebar ? 'with-sidebar' : undefined}>
          {sidebar}
          <main id="content" tabIndex={-1}>
            {children}
          </main>
        </div>
        <footer>
          <LegalLinks />
          <p>
            <a href="/openapi.json">OpenAPI</a> · <a href="/v1/tools/prices">Prices</a> ·{' '}
            <a href="/.well-known/api-catalog">API catalog</a> · <a href="/health">Health</a>
          </p>
          <p>
            {about.name} {about.version}, open source under the MIT license.
          </p>
        </footer>
      </body>
    </html>
  );
}

interface SampleProps {
  readonly label: string;
  readonly text: string;
  /** For highlighting, such as `bash`. */
  readonly language?: string;
  /** Whether it is text in sentences, whose lines may be broken. */
  readonly isProse?: boolean;
}

/** A code sample. It scrolls on its own, with the keyboard too. */
export function Sample({ label, text, language, isProse = false }: SampleProps): ReactNode {
  return (
    <section className="sample" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre data-copy tabIndex={0} className={isProse ? 'prose-sample' : undefined}>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the highlighter escapes the text. */}
        <code dangerouslySetInnerHTML={{ __html: highlight(text, language) }} />
      </pre>
    </section>
  );
}
