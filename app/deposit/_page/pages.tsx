import type { ReactNode } from 'react';
import { JsonScript } from '@/app/_page/json-script';
import { DepositForm } from './deposit-form';
import { Frame, type FrameProps } from './frame';
import { PhoneLinks } from './phone-links';
import { Receipt } from './receipt';
import { type DepositState, ids } from './state';

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
