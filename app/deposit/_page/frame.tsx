import type { ReactNode } from 'react';
import { StyleLinks } from '@/app/_page/style-links';
import { TestBanner } from '@/app/_page/test-banner';
import type { Assets } from '@/lib/http/page-assets';

export interface FrameProps {
  readonly assets: Assets;
  readonly nonce: string;
  /** The host of the service, as people know it from its address. */
  readonly host: string;
}

/** What every page under /deposit has around it. */
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
        <title>{`${title} - Tuppence`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <StyleLinks page="deposit" assets={assets} />
        {hasScript ? <script type="module" nonce={nonce} src={`/deposit/assets/${assets.script}`} /> : null}
      </head>
      <body>
        <TestBanner />
        <header>
          <p className="banner">
            <span className="sign" aria-hidden="true">
              !
            </span>
            <strong>
              Anyone who has the token of this account can spend the money you add. Add money only for an
              agent that you own or trust.
            </strong>
          </p>
        </header>
        <main>
          <p className="seller">
            <Logo />
            <span>
              <a href="/">Tuppence</a> <span className="host">{host}</span>
            </span>
          </p>
          {children}
        </main>
      </body>
    </html>
  );
}

/** A coin. */
function Logo(): ReactNode {
  return (
    <svg className="logo" viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="11" />
      <path d="M7 8h10M12 8v9" />
    </svg>
  );
}
