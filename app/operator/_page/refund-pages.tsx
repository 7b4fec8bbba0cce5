import type { ReactNode } from 'react';
import type { RefundReason } from '@/lib/ledger/refund-states';
import type { Refund } from '@/lib/ledger/refunds';
import type { findRefundOptions, RefundOrder } from '@/lib/operator/console/refunds';
import { transactionPage } from '@/lib/payments/explorers';
import { FormToken } from './document';
import { CallLink, Facts, formatUsdc, Id, Transaction } from './parts';
import { RefundTable } from './refund-table';
import { StateTag } from './state-tag';
import { Summary } from './summary';

type RefundOptions = NonNullable<Awaited<ReturnType<typeof findRefundOptions>>>;

const reasonWords: Readonly<Record<RefundReason, string>> = {
  not_delivered: 'It was paid and not delivered',
  duplicate: 'It was paid twice',
  requested_by_caller: 'Its caller asked for it',
  other: 'Another reason, which the note gives',
};

interface StepProps {
  readonly options: RefundOptions;
  readonly formToken: string;
}

/** What is refunded, to whom and where: the same in both steps. */
function RefundFacts({ call }: Pick<RefundOptions, 'call'>): ReactNode {
  return (
    <Facts
      entries={[
        ['Call', <CallLink key="id" id={call.id} />],
        ['State', <StateTag key="state" state={call.state} note={null} />],
        ['Amount', <strong key="amount">{formatUsdc(call.amountAtomic)}</strong>],
        ['Payer', <Id key="payer" value={call.payer} />],
        ['Network', call.network],
        [
          'Payment',
          <Transaction
            key="payment"
            hash={call.transactionHash}
            page={call.transactionHash && transactionPage(call.network, call.transactionHash)}
          />,
        ],
      ]}
    />
  );
}

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
      {toCancel ? (
        <CancelForm refund={toCancel} note={values.note} callId={call.id} formToken={formToken} />
      ) : null}
    </>
  );
}

function OrderForm({
  options: { call, methods, reasons },
  values,
  formToken,
}: StepProps & { readonly values: Readonly<Record<string, string>> }): ReactNode {
  const canTransfer = methods.includes('transfer');
  return (
    <form method="post" action={`/operator/calls/${call.id}/refund`} className="narrow">
      <h2>How the money goes back</h2>
      <FormToken value={formToken} />
      <input type="hidden" name="step" value="review" />
      <fieldset>
        <legend>Way</legend>
        {canTransfer ? (
          <Option name="method" value="transfer" chosen={values.method ?? 'transfer'}>
            I have sent it from the treasury to the payer
          </Option>
        ) : null}
        <Option
          name="method"
          value="account"
          chosen={values.method ?? (canTransfer ? 'transfer' : 'account')}
        >
          Into a prepaid account
        </Option>
      </fieldset>
      {canTransfer ? (
        <div className="field">
          <label htmlFor="transactionHash">Transaction, if you have sent it</label>
          <p className="hint" id="hash-hint">
            Its hash. The chain is asked: it must be exactly this amount of USDC, from the treasury to the
            payer, later than the payment.
          </p>
          <input
            id="transactionHash"
            name="transactionHash"
            defaultValue={values.transactionHash}
            autoComplete="off"
            spellCheck={false}
            aria-describedby="hash-hint"
          />
        </div>
      ) : null}
      <div className="field">
        <label htmlFor="accountId">Account, if it goes into one</label>
        <input
          id="accountId"
          name="accountId"
          defaultValue={values.accountId ?? (call.network === 'account' ? call.payer : undefined)}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      <fieldset>
        <legend>Reason</legend>
        {reasons.map((reason) => (
          <Option key={reason} name="reason" value={reason} chosen={values.reason}>
            {reasonWords[reason]}
          </Option>
        ))}
      </fieldset>
      <NoteField value={values.note} hint="For the log. Callers do not see it." />
      <button type="submit">Check it</button>
    </form>
  );
}

function Option({
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
  const id = `${name}-${value}`;
  return (
    <div className="option">
      <input type="radio" id={id} name={name} value={value} defaultChecked={chosen === value} />
      <label htmlFor={id}>{children}</label>
    </div>
  );
}

function NoteField({
  value,
  hint,
  id = 'note',
}: {
  value: string | undefined;
  hint: string;
  id?: string;
}): ReactNode {
  return (
    <div className="field">
      <label htmlFor={id}>Note</label>
      <p className="hint" id={`${id}-hint`}>
        {hint}
      </p>
      <textarea
        id={id}
        name="note"
        rows={2}
        maxLength={500}
        defaultValue={value}
        aria-describedby={`${id}-hint`}
      />
    </div>
  );
}

/** The second step: everything that will happen. */
export function RefundReview({
  options,
  order,
  formToken,
}: StepProps & { readonly order: RefundOrder }): ReactNode {
  const { call } = options;
  const isTransfer = order.method === 'transfer';
  return (
    <>
      <h1>Check the refund</h1>
      <RefundFacts call={call} />
      <h2>This is recorded and cannot be undone</h2>
      <Facts
        entries={[
          ['Amount', <strong key="amount">{formatUsdc(call.amountAtomic)}</strong>],
          ['Recipient', <Id key="to" value={isTransfer ? call.payer : order.accountId} />],
          ['Network', isTransfer ? call.network : 'none: it is posted to the prepaid account at once'],
          ...(isTransfer ? [['Transaction', <Id key="hash" value={order.transactionHash} />] as const] : []),
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
        <button type="submit">
          {isTransfer ? 'Record this refund' : `Refund ${formatUsdc(call.amountAtomic)} into this account`}
        </button>
        <a href={`/operator/calls/${call.id}/refund`}>Back</a>
      </form>
    </>
  );
}

function CancelForm({
  refund,
  note,
  callId,
  formToken,
}: {
  refund: Refund;
  note: string | undefined;
  callId: string;
  formToken: string;
}): ReactNode {
  return (
    <form method="post" action={`/operator/calls/${callId}/refund`} className="narrow">
      <h2>Cancel the refund that is {refund.state}</h2>
      <p>
        Only a refund of which nothing was sent can be cancelled, or one that failed. The chain is searched
        first.
      </p>
      <FormToken value={formToken} />
      <input type="hidden" name="step" value="review-cancel" />
      <input type="hidden" name="refund" value={refund.id} />
      <NoteField id="cancel-note" value={note} hint="Why it is cancelled." />
      <button type="submit" className="plain">
        Check whether it can be cancelled
      </button>
    </form>
  );
}

/** The second step of a cancellation. */
export function CancelReview({
  options: { call },
  refund,
  note,
  formToken,
}: StepProps & { readonly refund: Refund; readonly note: string }): ReactNode {
  return (
    <>
      <h1>Check the cancellation</h1>
      <RefundFacts call={call} />
      <h2>This refund ends</h2>
      <Facts
        entries={[
          ['Refund', <Id key="id" value={refund.id} />],
          ['Amount', formatUsdc(refund.amountAtomic)],
          ['Recipient', <Id key="to" value={refund.recipient} />],
          ['Network', refund.network],
          ['State', refund.state],
          ['Note', note],
        ]}
      />
      <form method="post" action={`/operator/calls/${call.id}/refund`} className="actions">
        <FormToken value={formToken} />
        <input type="hidden" name="step" value="cancel" />
        <input type="hidden" name="refund" value={refund.id} />
        <input type="hidden" name="note" value={note} />
        <button type="submit">Cancel this refund</button>
        <a href={`/operator/calls/${call.id}/refund`}>Back</a>
      </form>
    </>
  );
}
