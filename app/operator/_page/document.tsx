import type { ReactNode } from 'react';
import { Brand } from '@/app/_page/brand';
import { StyleLinks } from '@/app/_page/style-links';
import { TestBanner } from '@/app/_page/test-banner';
import { currentApp } from '@/lib/app/current';
import type { Assets } from '@/lib/http/page-assets';
import type { ConsoleOperator, OperatorRole } from '@/lib/platform/console-operators';
import { Tag } from './parts';

/** The sections, with the paths outside of theirs that belong to them. */
const sections: readonly (readonly [href: string, words: string, others?: readonly string[]])[] = [
  ['/operator', 'Overview'],
  ['/operator/worklist', 'Worklist', ['/operator/transfers']],
  ['/operator/calls', 'Calls'],
  ['/operator/wallets', 'Wallets'],
  ['/operator/channels', 'Channels'],
  ['/operator/system', 'System'],
  ['/operator/reports', 'Reports', ['/operator/forms', '/operator/uploads']],
  ['/operator/log', 'Log'],
];

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
  /** For the script of the console; without it there is none. */
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
        <header className={session === null ? 'console-header alone' : 'console-header'}>
          <div className="console-top">
            <a className="brand" href="/operator">
              <Brand /> console
            </a>
            <Environment />
            {session === null ? null : <SignedIn {...session} />}
          </div>
          {session === null ? null : <Menu path={session.path} />}
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </body>
    </html>
  );
}

/** Which service this is, so that nobody refunds on another one than they think. */
function Environment(): ReactNode {
  const { PUBLIC_URL: publicUrl, NETWORKS: networks } = currentApp().settings;
  const { host, hostname } = new URL(publicUrl);
  const isLocal = /^(localhost|127\.|\[::1\]$)/.test(hostname);
  return (
    <p className="environment">
      <span translate="no">{host}</span>{' '}
      {networks === 'test' ? (
        <Tag tone="warn">Test networks</Tag>
      ) : (
        <Tag tone="plain">{isLocal ? 'Local' : 'Live networks'}</Tag>
      )}
    </p>
  );
}

function Menu({ path }: Pick<PageSession, 'path'>): ReactNode {
  return (
    <nav aria-label="Console">
      <ul>
        {sections.map(([href, words, others = []]) => (
          <li key={href}>
            <a href={href} aria-current={currentAt(path, href, others)}>
              {words}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function SignedIn({ formToken, signedIn: { name, role } }: PageSession): ReactNode {
  return (
    <form method="post" action="/operator/logout">
      <FormToken value={formToken} />
      <span className="quiet">
        {name === null ? 'Signed in with OPERATOR_TOKEN' : `Signed in as ${name}, ${roleWords[role]}`}
      </span>
      <button className="tertiary" type="submit">
        Sign out
      </button>
    </form>
  );
}

const roleWords: Readonly<Record<OperatorRole, string>> = {
  read: 'read only',
  moderate: 'for moderation',
  full: 'with all rights',
};

/** Whether a section has the page, or is it. */
function currentAt(path: string, href: string, others: readonly string[]): 'page' | 'true' | undefined {
  if (path === href) return 'page';
  const own = href === '/operator' ? others : [href, ...others];
  return own.some((one) => path === one || path.startsWith(`${one}/`)) ? 'true' : undefined;
}

/** Proves that a form was made for this session. Every form has one. */
export function FormToken({ value }: { value: string }): ReactNode {
  return <input type="hidden" name="form" value={value} />;
}
