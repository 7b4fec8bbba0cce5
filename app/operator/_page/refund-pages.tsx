import type { ReactNode } from 'react';
import { Field, Option } from '@/app/_page/field';
import type { Refund } from '@/lib/ledger/refund-records';
import type { RefundMethod, RefundReason } from '@/lib/ledger/refund-states';
import type { RefundOrder } from '@/lib/operator/console/refund-orders';
import { FormToken } from './document';
import { Facts, formatUsdc, Id } from './parts';
import { CancelForm } from './refund-cancel';
import { NoteField, RefundFacts, type StepProps } from './refund-parts';
import { RefundTable } from './refund-table';
import { Summary } from './summary';

const reasonWords: Readonly<Record<RefundReason, string>> = {
  not_delivered: 'Paid, not delivered',
  duplicate: 'Duplicate',
  requested_by_caller: 'Requested by caller',
  other: 'Other (explain in note)',
};

const methodWords: Readonly<Record<RefundMethod, string>> = {
  wallet: 'The treasury’s wallet in this browser signs it',
  transfer: 'I have sent it from the treasury to the payer',
  account: 'Into a prepaid account',
};

/** The first step. */
export function RefundForm({
  options,
  values,
  problem,
  formToken,
}: StepProps & {
  readonly values: Readonly<Record<string, string>>;
  readonly problem: string | undefined;
}): ReactNode {
  const { call, refunds, problemText, hasPayerCode } = options;
  const toCancel = refunds.find(
    ({ state }) => state === 'requested' || state === 'sent' || state === 'failed',
  );
  return (
    <>
      <h1>Refund {formatUsdc(call.amountAtomic)}</h1>
      {problem === undefined ? null : <Summary title="Nothing was changed" text={problem} />}
      <RefundFacts call={call} />
      {hasPayerCode ? (
        <p>
          <strong>The payer is a contract or has code.</strong> It may not be able to use what is sent to it.
          Ask its owner first.
        </p>
      ) : null}
      {problemText === null ? (
        <OrderForm options={options} values={values} formToken={formToken} />
      ) : (
        <p>
          <strong>No refund can begin now.</strong> {problemText}
        </p>
      )}
      {refunds.length > 0 ? (
        <>
          <h2>Refunds so far</h2>
          <RefundTable refunds={refunds} />
        </>
      ) : null}
      {toCancel?.method === 'wallet' && toCancel.state !== 'failed' ? (
        <>
          <p className="actions">
            <a className="button" href={`/operator/calls/${call.id}/refund/wallet`}>
              Sign it in a wallet
            </a>
          </p>
          <RecordForm refund={toCancel} hash={values.transactionHash} formToken={formToken} />
        </>
      ) : null}
      {toCancel ? (
        <CancelForm refund={toCancel} note={values.note} callId={call.id} formToken={formToken} />
      ) : null}
    </>
  );
}

/** For a refund from a wallet that was sent from elsewhere. */
function RecordForm({
  refund,
  hash,
  formToken,
}: {
  refund: Refund;
  hash: string | undefined;
  formToken: string;
}): ReactNode {
  return (
    <form method="post" action={`/operator/calls/${refund.paidCallId}/refund`} className="narrow">
      <h2>Record its transaction</h2>
      <FormToken value={formToken} />
      <input type="hidden" name="step" value="review" />
      <input type="hidden" name="method" value="transfer" />
      <input type="hidden" name="reason" value={refund.reason} />
      <input type="hidden" name="note" value={refund.note ?? ''} />
      <Field id="transactionHash" label="Transaction, if it was sent from elsewhere">
        <input
          id="transactionHash"
          name="transactionHash"
          defaultValue={hash}
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
      <button type="submit" className="secondary">
        Check the transaction
      </button>
    </form>
  );
}

function OrderForm({
  options: { call, methods, reasons },
  values,
  formToken,
}: StepProps & { readonly values: Readonly<Record<string, string>> }): ReactNode {
  const canTransfer = methods.includes('transfer');
  const chosen = values.method ?? methods[0];
  return (
    <form method="post" action={`/operator/calls/${call.id}/refund`} className="narrow">
      <FormToken value={formToken} />
      <input type="hidden" name="step" value="review" />
      <fieldset className="field">
        <legend>Refund method</legend>
        {methods.map((method) => (
          <Choice key={method} name="method" value={method} chosen={chosen}>
            {methodWords[method]}
          </Choice>
        ))}
      </fieldset>
      {canTransfer ? (
        <Field
          id="transactionHash"
          label="Transaction, if you have sent it"
          hint="Its hash. The chain is asked: it must be exactly this amount of USDC, from the treasury to the payer, later than the payment."
        >
          <input
            id="transactionHash"
            name="transactionHash"
            defaultValue={values.transactionHash}
            autoComplete="off"
            spellCheck={false}
            aria-describedby="hash-hint"
          />
        </Field>
      ) : null}
      <Field id="accountId" label="Account, if it goes into one">
        <input
          id="accountId"
          name="accountId"
          defaultValue={values.accountId ?? (call.network === 'account' ? call.payer : undefined)}
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
      <fieldset className="field">
        <legend>Reason</legend>
        {reasons.map((reason) => (
          <Choice key={reason} name="reason" value={reason} chosen={values.reason}>
            {reasonWords[reason]}
          </Choice>
        ))}
      </fieldset>
      <NoteField value={values.note} hint="For the log. Callers do not see it." />
      <button type="submit">Review refund</button>
    </form>
  );
}

function Choice({
  name,
  value,
  chosen,
  children,
}: {
  name: string;
  value: string;
  chosen: string | undefined;
  children: ReactNode;
}): ReactNode {
  return (
    <Option id={`${name}-${value}`} name={name} value={value} defaultChecked={chosen === value}>
      {children}
    </Option>
  );
}

/** The second step: everything that will happen. */
export function RefundReview({
  options,
  order,
  formToken,
}: StepProps & { readonly order: RefundOrder }): ReactNode {
  const { call } = options;
  const { button, title } = wordsOf(order, formatUsdc(call.amountAtomic));
  return (
    <>
      <h1>Check the refund</h1>
      <RefundFacts call={call} />
      <h2>{title}</h2>
      <Facts
        entries={[
          ['Amount', <strong key="amount">{formatUsdc(call.amountAtomic)}</strong>],
          ['Recipient', <Id key="to" value={order.method === 'account' ? order.accountId : call.payer} />],
          [
            'Network',
            order.method === 'account' ? 'none: it is posted to the prepaid account at once' : call.network,
          ],
          ...(order.method === 'transfer'
            ? [['Transaction', <Id key="hash" value={order.transactionHash} />] as const]
            : []),
          ['Reason', reasonWords[order.reason]],
          ['Note', order.note ?? 'none'],
        ]}
      />
      <form method="post" action={`/operator/calls/${call.id}/refund`} className="actions">
        <FormToken value={formToken} />
        <input type="hidden" name="step" value="confirm" />
        {Object.entries(order).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value ?? ''} />
        ))}
        <button type="submit">{button}</button>
        <a href={`/operator/calls/${call.id}/refund`}>Back</a>
      </form>
    </>
  );
}

function wordsOf({ method }: RefundOrder, amount: string): { title: string; button: string } {
  const final = 'This is recorded and cannot be undone';
  switch (method) {
    case 'wallet':
      return { title: 'This is requested, and the wallet signs it next', button: 'Request this refund' };
    case 'transfer':
      return { title: final, button: 'Record this refund' };
    case 'account':
      return { title: final, button: `Refund ${amount} into this account` };
  }
}
