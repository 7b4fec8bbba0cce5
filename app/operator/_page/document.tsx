import type { ReactNode } from 'react';
import { StyleLinks } from '@/app/_page/style-links';
import { TestBanner } from '@/app/_page/test-banner';
import type { Assets } from '@/lib/http/page-assets';
import type { ConsoleOperator, OperatorRole } from '@/lib/platform/console-operators';

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

interface PageSession {
  /** The path of the page. */
  readonly path: string;
  readonly formToken: string;
  readonly signedIn: ConsoleOperator;
}

interface PageProps {
  readonly assets: Assets;
  readonly title: string;
  /** Null on pages outside of a session, which have no navigation. */
  readonly session: PageSession | null;
  /** For the page's script, on the one page that has one: where a wallet signs. */
  readonly nonce?: string | null;
  readonly children: ReactNode;
}

/** The layout of every page of the console. */
export function Page({ assets, title, session, nonce = null, children }: PageProps): ReactNode {
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
            {session === null ? null : <Menu {...session} />}
          </nav>
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </body>
    </html>
  );
}

function Menu({ path, formToken, signedIn: { name, role } }: PageSession): ReactNode {
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
        <span className="quiet">
          {name === null ? 'Signed in with OPERATOR_TOKEN' : `Signed in as ${name}, ${roleWords[role]}`}
        </span>{' '}
        <button className="secondary" type="submit">
          Sign out
        </button>
      </form>
    </>
  );
}

const roleWords: Readonly<Record<OperatorRole, string>> = {
  read: 'read only',
  moderate: 'for moderation',
  full: 'with all rights',
};

function isWithin(path: string, href: string): boolean {
  return path === href || (href !== '/operator' && path.startsWith(`${href}/`));
}

/** Proves that a form was made for this session. Every form has one. */
export function FormToken({ value }: { value: string }): ReactNode {
  return <input type="hidden" name="form" value={value} />;
}
