import type { ReactNode } from 'react';
import { Field } from '@/app/_page/field';
import { JsonScript } from '@/app/_page/json-script';
import { ScriptSummary } from '@/app/_page/summary-box';
import { payableNetwork } from '@/app/_wallets/payable';
import type { Operation } from '@/lib/catalog/operation';
import { paidInTerminal } from '@/lib/discovery/samples';
import type { Site } from '@/lib/discovery/site-config';
import { Sample } from '../../sample';
import { BodyFields } from './body-fields';
import { tryIds as ids, type TryState } from './state';

/** The link that opens "Try it", beside the samples. */
export function TryLink(): ReactNode {
  return (
    <div className="call-try">
      <a className="button" href={`#${ids.panel}`}>
        Try it
      </a>
      <noscript>
        <p>Calling from this page needs JavaScript. The samples above make the same call.</p>
      </noscript>
    </div>
  );
}

/** The same link above the text, where the samples come after it. */
export function EarlyTryLink(): ReactNode {
  return (
    <p className="call-early">
      <a className="button" href={`#${ids.panel}`}>
        Try it
      </a>
    </p>
  );
}

/** A dialog that makes the call from the page, first unpaid, then paid by a wallet in the browser. It needs a script. */
export function TryIt({ call, site }: { call: Operation; site: Site }): ReactNode {
  const state: TryState = {
    operation: call.id,
    method: call.method,
    path: call.paths.x402,
    takesBody: call.takesBody,
    isTest: site.isTest,
    networks: site.offers.map(payableNetwork),
  };
  return (
    <dialog className="try" id={ids.panel} data-operation={call.id} aria-labelledby="try-title">
      <div className="try-head">
        <h2 id="try-title" tabIndex={-1}>
          Try it: {call.title}
        </h2>
        <button type="button" id={ids.close} className="tertiary">
          Close
        </button>
      </div>
      <div className="try-body">
        <JsonScript id={ids.state} json={state} />
        <RequestForm call={call} />
        <section id={ids.answer} aria-label="Response without a payment" tabIndex={-1} hidden />
        <PayForm call={call} publicUrl={site.publicUrl} />
        <p id={ids.status} className="status" role="status" />
        <ScriptSummary ids={ids} title="Nothing was paid" heading="h3" />
        <section id={ids.paid} aria-label="Response to the paid call" tabIndex={-1} hidden />
      </div>
    </dialog>
  );
}

function RequestForm({ call }: { call: Operation }): ReactNode {
  const params = Object.entries(call.example.params as Readonly<Record<string, string>>);
  return (
    <form id={ids.form} noValidate hidden>
      {params.map(([name, value]) => (
        <Field
          key={name}
          id={`try-param-${name}`}
          label={
            <>
              <code>{name}</code> in the path
            </>
          }
        >
          <input
            id={`try-param-${name}`}
            className="code"
            name={name}
            defaultValue={value}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
      ))}
      {call.takesBody ? <BodyFields call={call} /> : null}
      <p className="hint">
        Sends{' '}
        <code>
          {call.method} {call.paths.x402}
        </code>{' '}
        from this page without a payment. Nothing is charged.
      </p>
      <button type="submit">Send without a payment</button>
    </form>
  );
}

function PayForm({ call, publicUrl }: { call: Operation; publicUrl: string }): ReactNode {
  return (
    <>
      <form id={ids.payForm} noValidate hidden>
        <fieldset className="field">
          <legend>Network</legend>
          <div id={ids.networks} className="options" />
        </fieldset>
        <fieldset className="field">
          <legend>Wallet</legend>
          <div id={ids.wallets} className="options" />
          <div id={ids.noWallet}>
            <p className="hint">
              No wallet for this network was found in this browser. MetaMask, Coinbase Wallet and Rabby pay on
              Base, Polygon and Arbitrum; Phantom, Solflare and Backpack on Solana.{' '}
              <a href="/docs/wallet">How to put USDC into a wallet</a>
            </p>
            <Sample
              label="Command that pays"
              title="Or pay for the example in a terminal"
              language="bash"
              text={paidInTerminal(call, publicUrl)}
            />
          </div>
        </fieldset>
        <button type="submit" id={ids.review}>
          Pay
        </button>
      </form>
      <dialog id={ids.dialog} aria-labelledby="try-dialog-title">
        <h3 id="try-dialog-title">Pay for this call?</h3>
        <div id={ids.dialogText} />
        <form method="dialog" className="actions">
          <button type="submit" id={ids.confirm} value="pay">
            Pay
          </button>
          <button type="submit" id={ids.cancel} value="cancel" className="secondary">
            Cancel
          </button>
        </form>
      </dialog>
    </>
  );
}
