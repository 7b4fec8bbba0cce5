import type { ReactNode } from 'react';
import { Option } from '@/app/_page/field';
import { legalAddresses } from '@/app/_page/legal-links';
import { ScriptSummary } from '@/app/_page/summary-box';
import { currentApp } from '@/lib/app/current';
import { operatorDetails } from '@/lib/platform/public-operator';
import { type DepositState, ids, presets, steps, stepWords } from './deposit-state';

/** Hidden until the script has found a wallet, because the form does not work without one. */
export function DepositForm({ state }: { state: DepositState }): ReactNode {
  return (
    <form id={ids.form} noValidate hidden>
      <Amount state={state} />
      <fieldset className="field" aria-describedby={ids.walletError}>
        <legend>Wallet</legend>
        <p className="error" id={ids.walletError} aria-live="polite" hidden />
        <div id={ids.wallets} className="option-list" />
        <p id={ids.holder} className="hint" aria-live="polite" />
      </fieldset>
      <Networks state={state} />
      <dl className="total">
        <div>
          <dt>
            <strong>Total</strong> · No network fee
          </dt>
          <dd id={ids.total} />
        </div>
        <div>
          <dt id={ids.afterName}>New balance</dt>
          <dd id={ids.after} />
        </div>
      </dl>
      <button id={ids.pay} type="submit">
        Pay
      </button>
      <Outcome />
      <p className="terms">
        Deposits can only be spent on calls here and cannot be withdrawn:{' '}
        <a href="/docs/prepaid-accounts">how prepaid accounts work</a>.
      </p>
      <Terms />
      <SigningFacts />
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
      {'By paying, you agree to the '}
      {/* A name such as "Example Ltd." ends with a full stop of its own. */}
      <a href={href}>{name === null ? 'terms of this service' : `terms of ${name}`}</a>
      {name?.endsWith('.') ? '' : '.'}
    </p>
  );
}

/**
 * What is going on, and what went wrong. Its room is kept while something goes on, so that nothing moves. The steps are bars;
 * what the step that goes on does is said below them.
 */
function Outcome(): ReactNode {
  return (
    <div className="outcome">
      {/* biome-ignore lint/a11y/noRedundantRoles: without marks of its own, Safari takes it for no list. */}
      <ol id={ids.steps} className="steps" role="list" hidden>
        {steps.map((step) => (
          <li key={step}>
            <span className="hidden">{stepWords[step]}</span>
          </li>
        ))}
      </ol>
      <p id={ids.status} className="status" role="status" />
      <ScriptSummary ids={ids} title="Nothing was paid" />
    </div>
  );
}

function Amount({ state: { min, max } }: { state: DepositState }): ReactNode {
  return (
    <div className="field">
      <label htmlFor={ids.amount}>Amount in USDC</label>
      <p className="hint" id="amount-hint">
        From {min} to {max}
      </p>
      <p className="error" id={ids.amountError} aria-live="polite" hidden />
      <div className="amount">
        <input
          id={ids.amount}
          name="amount"
          className="large"
          inputMode="decimal"
          autoComplete="transaction-amount"
          defaultValue={presets[0]}
          aria-describedby={`amount-hint ${ids.amountError}`}
        />
        <span aria-hidden="true">USDC</span>
      </div>
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

function Networks({ state: { networks } }: { state: DepositState }): ReactNode {
  return (
    <fieldset id={ids.networks} className="field" aria-describedby={ids.networkError}>
      <legend>Network</legend>
      <p className="error" id={ids.networkError} aria-live="polite" hidden />
      <div className="option-list">
        {networks.map(({ name, label, family }) => (
          <Option key={name} name="network" id={`network-${name}`} value={name} data-family={family}>
            {label} <span className="holding" data-network={name} />
          </Option>
        ))}
      </div>
    </fieldset>
  );
}

/** What the wallet will show, so that a person can compare. The script fills it in for the chosen network. */
function SigningFacts(): ReactNode {
  return (
    <details className="signing">
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
