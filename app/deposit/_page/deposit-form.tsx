import type { ReactNode } from 'react';
import { Option } from '@/app/_page/field';
import { legalAddresses } from '@/app/_page/legal-links';
import { currentApp } from '@/lib/app/current';
import { operatorDetails } from '@/lib/platform/public-operator';
import { type DepositState, ids, presets, steps } from './deposit-state';

/** Hidden until the script runs, because the form does not work without it. */
export function DepositForm({ state }: { state: DepositState }): ReactNode {
  return (
    <form id={ids.form} noValidate hidden>
      <Amount state={state} />
      <fieldset className="field">
        <legend>Wallet</legend>
        <div id={ids.wallets} className="wallets" />
        <NoWallet />
        <div className="holder">
          <p id={ids.holder} className="hint" aria-live="polite" />
          <button id={ids.connect} type="button" className="secondary" hidden>
            Show what it holds
          </button>
        </div>
      </fieldset>
      <Networks state={state} />
      <Total state={state} />
      <SigningFacts />
      <p className="terms">
        What you add can be spent on calls of this service. It cannot be withdrawn.{' '}
        <a href="/docs/prepaid-accounts">How prepaid accounts work</a>
      </p>
      <Terms />
      <button id={ids.pay} type="submit" disabled>
        Pay
      </button>
      <p id={ids.next} className="hint" aria-live="polite" />
      <ol id={ids.steps} className="steps" hidden>
        {steps.map((step) => (
          <li key={step} data-step={step}>
            {stepWords[step]}
          </li>
        ))}
      </ol>
      <p id={ids.status} className="status" role="status" />
      <div id={ids.problem} className="notice wrong" role="alert" tabIndex={-1} hidden>
        <h2 id={ids.problemTitle}>Nothing was paid</h2>
        <p id={ids.problemText} />
      </div>
    </form>
  );
}

/** The terms that apply to a payment. */
function Terms(): ReactNode {
  const { name, termsUrl } = operatorDetails(currentApp().settings);
  const href = legalAddresses().terms;
  if (name === null && termsUrl === null) {
    return (
      <p className="terms">
        Nobody is named as the operator of this service. Read <a href={href}>what that means</a> before you
        pay.
      </p>
    );
  }
  return (
    <p className="terms">
      By paying you agree to the{' '}
      <a href={href}>{name === null ? 'terms of this service' : `terms of ${name}`}</a>.
    </p>
  );
}

const stepWords = {
  price: 'Ask the service for the price',
  sign: 'Sign in your wallet',
  confirm: 'Wait until the network has confirmed it',
} as const;

function Amount({ state: { min, max } }: { state: DepositState }): ReactNode {
  return (
    <div className="field">
      <label htmlFor={ids.amount}>Amount in USDC</label>
      <p className="hint" id="amount-hint">
        From {min} to {max}
      </p>
      <p className="error" id={ids.amountError} aria-live="polite" hidden />
      <input
        className="amount"
        id={ids.amount}
        name="amount"
        inputMode="decimal"
        autoComplete="transaction-amount"
        defaultValue={presets[0]}
        aria-describedby={`amount-hint ${ids.amountError}`}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset needs a legend that is seen */}
      <div id={ids.presets} className="presets" role="group" aria-label="Usual amounts">
        {presets.map((preset) => (
          <button key={preset} type="button" className="chip" value={preset} aria-pressed={false}>
            {preset}
          </button>
        ))}
      </div>
    </div>
  );
}

function NoWallet(): ReactNode {
  return (
    <div id={ids.noWallet} className="hint">
      <p>No wallet was found in this browser. Any of these works:</p>
      <ul>
        <li>for Base, Polygon and Arbitrum: MetaMask, Coinbase Wallet, Rabby</li>
        <li>for Solana: Phantom, Solflare, Backpack</li>
      </ul>
      <p>
        Install one from its own website or your browser’s store, put USDC into it, and come back. Or use a
        phone.
      </p>
    </div>
  );
}

function Networks({ state: { networks } }: { state: DepositState }): ReactNode {
  return (
    <fieldset id={ids.networks} className="field" aria-describedby={ids.networkError}>
      <legend>Network</legend>
      <p className="error" id={ids.networkError} aria-live="polite" hidden />
      {networks.map(({ name, label, family }) => (
        <Option key={name} name="network" id={`network-${name}`} value={name} data-family={family}>
          {label} <span className="holding" data-network={name} />
        </Option>
      ))}
    </fieldset>
  );
}

function Total({ state: { balance } }: { state: DepositState }): ReactNode {
  return (
    <dl className="total">
      <div>
        <dt>Into the account</dt>
        <dd id={ids.credited} />
      </div>
      <div>
        <dt>Network fee</dt>
        <dd>none: the service pays it</dd>
      </div>
      <div>
        <dt>Balance afterwards</dt>
        <dd id={ids.after}>{balance} USDC</dd>
      </div>
      <div className="sum">
        <dt>You pay</dt>
        <dd id={ids.total} />
      </div>
    </dl>
  );
}

/** What the wallet will show, so that a person can compare. The script fills it in for the chosen network. */
function SigningFacts(): ReactNode {
  return (
    <details id={ids.signing} className="signing" hidden>
      <summary>What your wallet will ask you to sign</summary>
      <p>
        One transfer of exactly this amount, valid for a few minutes. It gives nobody any other permission. A
        contract wallet, such as a Safe, has to be deployed on the network before it can pay.
      </p>
      <dl>
        <dt>To</dt>
        <dd id={ids.payTo} className="address" translate="no" />
        <dt>Token: USDC</dt>
        <dd id={ids.asset} className="address" translate="no" />
      </dl>
    </details>
  );
}
