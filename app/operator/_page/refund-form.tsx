import type { ReactNode } from 'react';
import { describing, Field, FieldGroup, Option } from '@/app/_page/field';
import type { Refund } from '@/lib/ledger/refund-records';
import type { RefundMethod } from '@/lib/ledger/refund-states';
import { FormToken } from './document';
import { NoteField } from './note-field';
import { formatUsdc } from './parts';
import { CancelForm } from './refund-cancel';
import { RefundFacts, type StepProps } from './refund-parts';
import { reasonWords } from './refund-review';
import { RefundTable } from './refund-table';
import { errorsOf, type Problem, Summary } from './summary';

const methodWords: Readonly<Record<RefundMethod, string>> = {
  wallet: 'The treasury’s wallet in this browser signs it',
  transfer: 'I have sent it from the treasury to the payer',
  account: 'Into a prepaid account',
};

type Values = Readonly<Record<string, string>>;
type Errors = ReturnType<typeof errorsOf>;

/** The first step. */
export function RefundForm({
  options,
  values,
  problems,
  formToken,
}: StepProps & {
  readonly values: Values;
  readonly problems: readonly Problem[];
}): ReactNode {
  const errors = errorsOf(problems);
  const { call, refunds, problemText, hasPayerCode } = options;
  const toCancel = refunds.find(
    ({ state }) => state === 'requested' || state === 'sent' || state === 'failed',
  );
  return (
    <>
      <h1>Refund {formatUsdc(call.amountAtomic)}</h1>
      <Summary title="Nothing was changed" problems={problems} />
      <RefundFacts call={call} />
      {hasPayerCode ? (
        <p>
          <strong>The payer is a contract or has code.</strong> It may not be able to use what is sent to it.
          Ask its owner first.
        </p>
      ) : null}
      {problemText === null ? (
        <OrderForm options={options} values={values} errors={errors} formToken={formToken} />
      ) : (
        <p>
          <strong>A refund cannot start now.</strong> {problemText}
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
          <RecordForm
            refund={toCancel}
            hash={values.transactionHash}
            error={errors.transactionHash}
            formToken={formToken}
          />
        </>
      ) : null}
      {toCancel ? (
        <CancelForm
          refund={toCancel}
          note={values.note}
          error={errors['cancel-note']}
          callId={call.id}
          formToken={formToken}
        />
      ) : null}
    </>
  );
}

/** For a refund from a wallet that was sent from elsewhere. */
function RecordForm({
  refund,
  hash,
  error,
  formToken,
}: {
  refund: Refund;
  hash: string | undefined;
  /** Why it was not accepted. */
  error: string | undefined;
  formToken: string;
}): ReactNode {
  return (
    <form method="post" action={`/operator/calls/${refund.paidCallId}/refund`} className="narrow">
      <h2>Record a transaction</h2>
      <FormToken value={formToken} />
      <input type="hidden" name="step" value="review" />
      <input type="hidden" name="method" value="transfer" />
      <input type="hidden" name="reason" value={refund.reason} />
      <input type="hidden" name="note" value={refund.note ?? ''} />
      <TextField
        id="transactionHash"
        label="Transaction hash, if it was sent elsewhere"
        value={hash}
        error={error}
      />
      <button type="submit" className="secondary">
        Check the transaction
      </button>
    </form>
  );
}

const hashHint =
  'It is looked up on the chain: it must be exactly this amount of USDC, from the treasury to the payer, later than the payment.';

/** What a method needs is asked for below it. Styles hide the fields of methods that are not chosen, where browsers can. */
function OrderForm({
  options: { call, methods, reasons },
  values,
  errors,
  formToken,
}: StepProps & { readonly values: Values; readonly errors: Errors }): ReactNode {
  const chosen = values.method ?? methods[0];
  const details: Readonly<Partial<Record<RefundMethod, ReactNode>>> = {
    transfer: (
      <TextField
        id="transactionHash"
        label="Transaction hash"
        hint={hashHint}
        value={values.transactionHash}
        error={errors.transactionHash}
      />
    ),
    account: (
      <TextField
        id="accountId"
        label="Account ID"
        value={values.accountId ?? (call.network === 'account' ? call.payer : undefined)}
        error={errors.accountId}
      />
    ),
  };
  return (
    <form method="post" action={`/operator/calls/${call.id}/refund`} className="narrow" noValidate>
      <FormToken value={formToken} />
      <input type="hidden" name="step" value="review" />
      <FieldGroup id="method" label="Refund method" error={errors.method}>
        {methods.map((method, index) => (
          <div key={method} className="refund-method">
            <Choice name="method" value={method} chosen={chosen} isFirst={index === 0}>
              {methodWords[method]}
            </Choice>
            {details[method] === undefined ? null : <div className="conditional">{details[method]}</div>}
          </div>
        ))}
      </FieldGroup>
      <FieldGroup id="reason" label="Reason" error={errors.reason}>
        {reasons.map((reason, index) => (
          <Choice key={reason} name="reason" value={reason} chosen={values.reason} isFirst={index === 0}>
            {reasonWords[reason]}
          </Choice>
        ))}
      </FieldGroup>
      <NoteField
        label={
          <>
            Note <span className="optional">(optional)</span>
          </>
        }
        value={values.note}
        hint="For the log. Callers do not see it."
        error={errors.note}
      />
      <div className="actions">
        <button type="submit">Review refund</button>
        <a href={`/operator/calls/${call.id}`}>Cancel</a>
      </div>
    </form>
  );
}

function TextField({
  id,
  label,
  hint,
  value,
  error,
}: {
  id: string;
  label: string;
  hint?: string;
  value: string | undefined;
  error: string | undefined;
}): ReactNode {
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <input
        id={id}
        name={id}
        defaultValue={value}
        autoComplete="off"
        spellCheck={false}
        {...describing(id, { hint, error })}
      />
    </Field>
  );
}

function Choice({
  name,
  value,
  chosen,
  isFirst,
  children,
}: {
  name: string;
  value: string;
  chosen: string | undefined;
  /** Whether links to the group lead here. */
  isFirst: boolean;
  children: string;
}): ReactNode {
  const id = isFirst ? name : `${name}-${value}`;
  return (
    <Option id={id} name={name} value={value} defaultChecked={chosen === value}>
      {children}
    </Option>
  );
}
