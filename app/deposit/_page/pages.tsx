import type { ReactNode } from 'react';
import { JsonScript } from '@/app/_page/json-script';
import { RequestReference } from '@/app/_page/request-reference';
import { WarningBanner } from '@/app/_page/warning-banner';
import { money } from '@/app/_wallets/words';
import { currentApp } from '@/lib/app/current';
import { about } from '@/lib/catalog/about';
import { operatorDetails } from '@/lib/platform/public-operator';
import { DepositForm } from './deposit-form';
import { type DepositState, ids } from './deposit-state';
import { Frame, type FrameProps } from './frame';
import { PhoneLinks } from './phone-links';

/** The pages under /deposit. */

/** The page where a person adds money to an account. */
export function DepositPage({
  frame,
  state,
  url,
}: {
  frame: FrameProps;
  state: DepositState;
  url: string;
}): ReactNode {
  return (
    <Frame frame={frame} title="Add money to a prepaid account" hasScript>
      <div id={ids.start} className="checkout">
        <div className="about">
          <h1>Add money to a prepaid account</h1>
          <dl className="account">
            <div>
              <dt>Account</dt>
              <dd>
                <code translate="no">{state.accountId}</code>
              </dd>
            </div>
            <div>
              <dt>Balance</dt>
              <dd id={ids.balance}>{money(state.balance)} USDC</dd>
            </div>
          </dl>
          <WarningBanner>
            <span>
              <strong>Add money only for an agent that you own or trust.</strong> Anyone who has the token of
              this account can spend what you add.
            </span>
          </WarningBanner>
        </div>
        <noscript>
          <div className="notice wrong">
            <h2>This page needs JavaScript</h2>
            <p>
              A wallet in your browser signs the payment, and that needs JavaScript. Turn on JavaScript, or
              open this page on a phone that has a wallet. An agent with a wallet can also pay without this
              page: <a href="/docs/prepaid-accounts">prepaid accounts</a>.
            </p>
          </div>
          <PhoneLinks id="phone-without-script" url={url} />
        </noscript>
        {state.networks.length > 0 ? (
          <>
            <div id={ids.noWallet} className="notice" hidden>
              <h2>No wallet was found in this browser</h2>
              <p className="on-computer">
                Open this page in a wallet app on your phone, or install a wallet in this browser.
              </p>
              <p className="on-phone">Open this page in the app of your wallet.</p>
            </div>
            <DepositForm state={state} />
          </>
        ) : (
          <p className="prose">No network is available at the moment. Try again later.</p>
        )}
        {/* Shown together with the form, so that nothing moves. */}
        <PhoneLinks id={ids.phone} url={url} isHidden />
        <Install />
      </div>
      <Receipt />
      <JsonScript id={ids.state} json={state} />
    </Frame>
  );
}

function Install(): ReactNode {
  return (
    <section id={ids.install} className="on-computer" aria-labelledby="install-title" hidden>
      <h2 id="install-title">Or install a wallet in this browser</h2>
      <p>Get it from its own website or your browser’s store, put USDC into it, and come back.</p>
      <ul>
        <li>For Base, Polygon and Arbitrum: MetaMask, Coinbase Wallet or Rabby</li>
        <li>For Solana: Phantom, Solflare or Backpack</li>
      </ul>
    </section>
  );
}

/** A page with only a message: the account does not exist, or something failed. */
export function MessagePage({
  frame,
  title,
  text,
  requestId,
}: {
  frame: FrameProps;
  title: string;
  text: string;
  /** Of a request that failed. */
  requestId?: string | undefined;
}): ReactNode {
  return (
    <Frame frame={frame} title={title}>
      <h1>{title}</h1>
      <p className="prose">{text}</p>
      {requestId === undefined ? null : <RequestReference id={requestId} />}
    </Frame>
  );
}

/** A receipt to keep, in place of everything else. The script fills it in. */
function Receipt(): ReactNode {
  return (
    <section id={ids.receipt} className="checkout" aria-labelledby={ids.paidTitle} tabIndex={-1} hidden>
      <div className="about">
        <div className="panel">
          <h1 id={ids.paidTitle}>Paid</h1>
          <p>
            The account can spend it now. <span className="on-screen">You can close this page.</span>
          </p>
        </div>
      </div>
      <dl className="answers">
        <div>
          <dt>Amount</dt>
          <dd id={ids.paidAmount} />
        </div>
        <div>
          <dt>New balance</dt>
          <dd id={ids.paidBalance} />
        </div>
        <div>
          <dt>Account</dt>
          <dd id={ids.paidAccount} className="address" translate="no" />
        </div>
        <div>
          <dt>Paid to</dt>
          <dd>{operatorDetails(currentApp().settings).name ?? about.name}</dd>
        </div>
        <div>
          <dt>Paid from</dt>
          <dd id={ids.paidFrom} className="address" translate="no" />
        </div>
        <div>
          <dt>Date</dt>
          <dd>
            <time id={ids.paidAt} />
          </dd>
        </div>
        <div>
          <dt>Network</dt>
          <dd id={ids.paidNetwork} />
        </div>
        <div>
          <dt>Transaction</dt>
          <dd id={ids.paidTransaction} className="address" translate="no" />
        </div>
        <div>
          <dt>Paid call ID</dt>
          <dd id={ids.paidCall} className="address" translate="no" />
        </div>
      </dl>
      <p className="actions">
        <button id={ids.print} type="button" className="secondary">
          Print or save
        </button>{' '}
        <button id={ids.again} type="button" className="tertiary">
          Add more
        </button>
      </p>
    </section>
  );
}
