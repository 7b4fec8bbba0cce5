import type { ReactNode } from 'react';
import { JsonScript } from '@/app/_page/json-script';
import { StyleLinks } from '@/app/_page/style-links';
import { TestBanner } from '@/app/_page/test-banner';
import type { Assets } from '@/lib/http/page-assets';
import { QrCode } from './qr-code';
import { type DepositState, ids } from './state';

/** The pages under /deposit. */

interface Frame {
  readonly assets: Assets;
  readonly nonce: string;
}

function Page({
  frame: { assets, nonce },
  title,
  hasScript,
  children,
}: {
  frame: Frame;
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
        <main>{children}</main>
      </body>
    </html>
  );
}

/** The page where a person adds money to an account. */
export function DepositPage({
  frame,
  state,
  url,
}: {
  frame: Frame;
  state: DepositState;
  url: string;
}): ReactNode {
  return (
    <Page frame={frame} title="Add money to a prepaid account" hasScript>
      <h1>Add money to a prepaid account</h1>
      <p className="until">
        Account <code translate="no">{state.accountId}</code>
      </p>
      <noscript>
        <div className="summary">
          <h2>This page needs JavaScript</h2>
          <p>
            A wallet in your browser signs the payment, and that needs JavaScript. Turn on JavaScript, or scan
            the code below with a phone that has a wallet.
          </p>
        </div>
      </noscript>
      <div id={ids.problem} className="summary" role="alert" tabIndex={-1} hidden>
        <h2 id={ids.problemTitle}>Nothing was paid</h2>
        <p id={ids.problemText} />
      </div>
      <Receipt />
      {state.networks.length > 0 ? (
        <DepositForm state={state} />
      ) : (
        <p className="prose">No network is available at the moment. Try again later.</p>
      )}
      <section className="phone" aria-labelledby="phone-title">
        <QrCode text={url} label="QR code with the address of this page" />
        <div>
          <h2 id="phone-title">Is your wallet on a phone?</h2>
          <p>
            Scan the code and open this page in your wallet’s own browser. Do not send USDC to an address by
            hand: a plain transfer does not say which account it is for.
          </p>
          <p className="address" translate="no">
            {url}
          </p>
        </div>
      </section>
      <JsonScript id={ids.state} json={state} />
    </Page>
  );
}

/** Hidden until the script runs, because the form does not work without it. */
function DepositForm({ state: { networks, min, max } }: { state: DepositState }): ReactNode {
  return (
    <form id={ids.form} noValidate hidden>
      <div className="question">
        <label className="label" htmlFor={ids.amount}>
          Amount in USDC
        </label>
        <p className="hint" id="amount-hint">
          From {min} to {max}. Deposits cannot be withdrawn.
        </p>
        <input
          className="input"
          id={ids.amount}
          name="amount"
          inputMode="decimal"
          autoComplete="transaction-amount"
          defaultValue="5"
          aria-describedby="amount-hint"
        />
      </div>
      <fieldset className="question">
        <legend className="label">Network</legend>
        {networks.map(({ name, label }, index) => (
          <div className="option" key={name}>
            <input
              type="radio"
              name="network"
              id={`network-${name}`}
              value={name}
              defaultChecked={index === 0}
            />
            <label htmlFor={`network-${name}`}>{label}</label>
          </div>
        ))}
      </fieldset>
      <fieldset className="question">
        <legend className="label">Wallet</legend>
        <div id={ids.wallets} />
        <p id={ids.noWallet} className="hint">
          No wallet for this network was found in this browser. Install one, or use a phone that has one.
        </p>
      </fieldset>
      <button id={ids.pay} type="submit">
        Pay
      </button>
      <p id={ids.status} className="status" role="status" />
    </form>
  );
}

function Receipt(): ReactNode {
  return (
    <section id={ids.receipt} className="receipt" aria-labelledby="receipt-title" tabIndex={-1} hidden>
      <h2 id="receipt-title">Paid</h2>
      <p>The money is in the account and can be spent now. You can close this page.</p>
      <dl>
        <dt>Amount</dt>
        <dd id={ids.paidAmount} />
        <dt>Network</dt>
        <dd id={ids.paidNetwork} />
        <dt>Transaction</dt>
        <dd id={ids.paidTransaction} className="address" translate="no" />
      </dl>
      <button id={ids.again} type="button">
        Add more
      </button>
    </section>
  );
}

/** A page with only a message: the account does not exist, or something failed. */
export function MessagePage({
  frame,
  title,
  text,
}: {
  frame: Frame;
  title: string;
  text: string;
}): ReactNode {
  return (
    <Page frame={frame} title={title}>
      <h1>{title}</h1>
      <p className="prose">{text}</p>
    </Page>
  );
}
