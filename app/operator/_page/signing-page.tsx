import type { ReactNode } from 'react';
import { JsonScript } from '@/app/_page/json-script';
import { ScriptSummary } from '@/app/_page/summary-box';
import type { Refund } from '@/lib/ledger/refund-records';
import { transactionPage } from '@/lib/payments/explorers';
import { FormToken } from './document';
import { CallLink, Facts, Id, Moment, Transaction } from './parts';
import { ids, type SigningState } from './signing-state';

interface SigningPageProps {
  /** It is `requested` or `sent`. */
  readonly refund: Refund;
  readonly state: SigningState;
  readonly formToken: string;
}

/** Where the treasury's wallet signs a refund that is recorded already. */
export function SigningPage({ refund, state, formToken }: SigningPageProps): ReactNode {
  return (
    <>
      <h1>Sign the refund of {state.amount}</h1>
      <Facts
        entries={[
          ['Call', <CallLink key="id" id={refund.paidCallId} />],
          ['Refund', <Id key="refund" value={refund.id} />],
          ['Amount', <strong key="amount">{state.amount}</strong>],
          ['From', <Id key="from" value={state.from} />],
          ['Recipient', <Id key="to" value={refund.recipient} />],
          ['Network', state.label],
          ['Requested', <Moment key="at" at={refund.requestedAt} />],
        ]}
      />
      <Situation refund={refund} state={state} />
      {/* Before the form, which the script shows, so that nothing moves. */}
      <p className="actions">
        <a href={`/operator/calls/${refund.paidCallId}/refund`}>Record a transaction, or cancel the refund</a>
      </p>
      {refund.blockNumber === null ? <SigningForm state={state} formToken={formToken} /> : null}
    </>
  );
}

/** What is known, and what to do. */
function Situation({ refund, state }: Pick<SigningPageProps, 'refund' | 'state'>): ReactNode {
  const { transactionHash: hash, blockNumber, signableUntil, network } = refund;
  if (hash !== null) {
    return (
      <p>
        <strong>
          {blockNumber === null ? 'It was sent, and no block has it yet:' : 'It is in a block:'}
        </strong>{' '}
        <Transaction hash={hash} page={transactionPage(network, hash)} />.{' '}
        {blockNumber === null
          ? 'There is nothing to do unless no block takes it within minutes. Then it can be signed again: only one of the transfers is carried out.'
          : 'There is nothing to do. The refund is confirmed when the block is final.'}
      </p>
    );
  }
  if (signableUntil !== null) {
    return (
      <p>
        <strong>A wallet was asked to sign this refund, and has not reported that it was sent.</strong> If it
        was sent, the transfer is found within a minute of its block and recorded here. Signing again is safe:
        the token carries out only one transfer for this call. The signed transfer can be sent until{' '}
        <Moment at={signableUntil} />; after that, the refund can be canceled.
      </p>
    );
  }
  return (
    <p>
      Nothing is signed yet.{' '}
      {state.family === 'evm'
        ? 'The wallet asks twice: for the signature, and for the transaction that carries it out. It pays the gas.'
        : 'The wallet signs, and this service sends what it has signed. The wallet pays the fee.'}
    </p>
  );
}

/** Hidden until the script runs, because the form does not work without it. */
function SigningForm({ state, formToken }: Pick<SigningPageProps, 'state' | 'formToken'>): ReactNode {
  return (
    <>
      <noscript>
        <div className="notice wrong">
          <h2>A wallet needs JavaScript</h2>
          <p>
            Turn on JavaScript for this page. Or send the money from elsewhere, and record the transaction by
            the link above.
          </p>
        </div>
      </noscript>
      <ScriptSummary ids={ids} title="There is a problem" />
      <form id={ids.form} className="narrow" noValidate hidden>
        <FormToken value={formToken} />
        <fieldset className="field">
          <legend>Wallet</legend>
          <div id={ids.wallets} />
          <p id={ids.noWallet} className="hint">
            No wallet for {state.label} was found in this browser. Open this page in a browser that has the
            treasury’s wallet.
          </p>
        </fieldset>
        {/* Shown with the first wallet. */}
        <button id={ids.sign} type="submit" hidden>
          Sign {state.amount} to the payer
        </button>
        <p id={ids.status} className="status" role="status" />
      </form>
      <JsonScript id={ids.state} json={state} />
    </>
  );
}
