import type { ReactNode } from 'react';
import { Brand } from '@/app/_page/brand';
import { LegalLinks } from '@/app/_page/legal-links';
import { StyleLinks } from '@/app/_page/style-links';
import { TestBanner } from '@/app/_page/test-banner';
import { about } from '@/lib/catalog/about';
import type { Assets } from '@/lib/http/page-assets';

export interface FrameProps {
  readonly assets: Assets;
  readonly nonce: string;
  /** The host of the service, as people know it from its address. */
  readonly host: string;
}

/** The layout of every page under /deposit. */
export function Frame({
  frame: { assets, nonce, host },
  title,
  hasScript,
  children,
}: {
  frame: FrameProps;
  title: string;
  hasScript?: boolean;
  children: ReactNode;
}): ReactNode {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>{`${title} · ${about.name}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <meta
          name="description"
          content="Pay USDC from a wallet into an account that an agent spends from."
        />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <StyleLinks page="deposit" assets={assets} />
        {hasScript ? <script type="module" nonce={nonce} src={`/deposit/assets/${assets.script}`} /> : null}
      </head>
      <body>
        <TestBanner />
        <header>
          <p className="brand">
            <a href="/">
              <Brand />
            </a>{' '}
            <span className="host">{host}</span>
          </p>
        </header>
        <main>{children}</main>
        <footer>
          <LegalLinks />
        </footer>
      </body>
    </html>
  );
}
