import type { ReactNode } from 'react';
import { StyleLinks } from '@/app/_page/style-links';
import { TestBanner } from '@/app/_page/test-banner';
import type { Assets } from '@/lib/http/page-assets';

const navigation = [
  ['/operator', 'Overview'],
  ['/operator/worklist', 'Worklist'],
  ['/operator/calls', 'Calls'],
  ['/operator/wallets', 'Wallets'],
  ['/operator/channels', 'Channels'],
  ['/operator/system', 'System'],
  ['/operator/reports', 'Reports'],
  ['/operator/log', 'Log'],
] as const;

interface PageProps {
  readonly assets: Assets;
  readonly title: string;
  /** The path of the page; null on pages outside of a session, which have no navigation. */
  readonly path: string | null;
  /** The session's form token; null outside of a session. */
  readonly formToken: string | null;
  /** For the page's script, on the one page that has one: where a wallet signs. */
  readonly nonce?: string | null;
  readonly children: ReactNode;
}

/** The layout of every page of the console. */
export function Page({ assets, title, path, formToken, nonce = null, children }: PageProps): ReactNode {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>{`${title} · Console · Tuppence`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="For the operator of this service." />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <StyleLinks page="operator" assets={assets} />
        {nonce === null ? null : (
          <script type="module" nonce={nonce} src={`/operator/assets/${assets.script}`} />
        )}
      </head>
      <body>
        <a className="skip" href="#content">
          Skip to content
        </a>
        <TestBanner />
        <header>
          <nav aria-label="Console">
            <a className="brand" href="/operator">
              Tuppence console
            </a>
            {path !== null && formToken !== null ? <Menu path={path} formToken={formToken} /> : null}
          </nav>
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </body>
    </html>
  );
}

function Menu({ path, formToken }: { path: string; formToken: string }): ReactNode {
  return (
    <>
      <ul>
        {navigation.map(([href, words]) => (
          <li key={href}>
            <a href={href} aria-current={isWithin(path, href) ? 'page' : undefined}>
              {words}
            </a>
          </li>
        ))}
      </ul>
      <form method="post" action="/operator/logout">
        <FormToken value={formToken} />
        <button className="secondary" type="submit">
          Sign out
        </button>
      </form>
    </>
  );
}

function isWithin(path: string, href: string): boolean {
  return path === href || (href !== '/operator' && path.startsWith(`${href}/`));
}

/** Proves that a form was made for this session. Every form has one. */
export function FormToken({ value }: { value: string }): ReactNode {
  return <input type="hidden" name="form" value={value} />;
}
