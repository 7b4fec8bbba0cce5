import type { ReactNode } from 'react';
import { JsonScript } from '@/app/_page/json-script';
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
          <dd id={ids.balance}>{state.balance} USDC</dd>
        </div>
      </dl>
      <noscript>
        <div className="notice wrong">
          <h2>This page needs JavaScript</h2>
          <p>
            A wallet in your browser signs the payment, and that needs JavaScript. Turn on JavaScript, or open
            this page on a phone that has a wallet. An agent with a wallet can also pay without this page:{' '}
            <a href="/docs/prepaid-accounts">prepaid accounts</a>.
          </p>
        </div>
        <PhoneLinks id="phone-without-script" url={url} />
      </noscript>
      <Receipt />
      {state.networks.length > 0 ? (
        <DepositForm state={state} />
      ) : (
        <p className="prose">No network is available at the moment. Try again later.</p>
      )}
      {/* Shown together with the form, so that nothing moves. */}
      <PhoneLinks id={ids.phone} url={url} isHidden />
      <JsonScript id={ids.state} json={state} />
    </Frame>
  );
}

/** A page with only a message: the account does not exist, or something failed. */
export function MessagePage({
  frame,
  title,
  text,
}: {
  frame: FrameProps;
  title: string;
  text: string;
}): ReactNode {
  return (
    <Frame frame={frame} title={title}>
      <h1>{title}</h1>
      <p className="prose">{text}</p>
    </Frame>
  );
}

/** A receipt to keep. The script fills it in. */
function Receipt(): ReactNode {
  return (
    <section
      id={ids.receipt}
      className="notice good paid"
      aria-labelledby="receipt-title"
      tabIndex={-1}
      hidden
    >
      <h2 id="receipt-title">Paid</h2>
      <p>The money is in the account and can be spent now. You can close this page.</p>
      <dl>
        <dt>Amount</dt>
        <dd id={ids.paidAmount} />
        <dt>Date</dt>
        <dd>
          <time id={ids.paidAt} />
        </dd>
        <dt>Network</dt>
        <dd id={ids.paidNetwork} />
        <dt>Transaction</dt>
        <dd id={ids.paidTransaction} className="address" translate="no" />
        <dt>Receipt number</dt>
        <dd id={ids.paidCall} className="address" translate="no" />
        <dt>Balance of the account now</dt>
        <dd id={ids.paidBalance} />
      </dl>
      <p className="actions">
        <button id={ids.print} type="button" className="secondary">
          Print or save
        </button>{' '}
        <button id={ids.again} type="button" className="secondary">
          Add more
        </button>
      </p>
    </section>
  );
}
