import type { ReactNode } from 'react';
import { Field } from '@/app/_page/field';
import { Table } from '@/app/_site/table';
import type { Refund } from '@/lib/ledger/refund-records';
import { refundableStates, unmatchedTransfer } from '@/lib/ledger/states';
import type { CallTimeline, TimelinePosting, TimelineTransaction } from '@/lib/operator/calls/timeline';
import { situationOf } from '@/lib/operator/situation';
import { ActionEntry } from './action-entry';
import { FormToken } from './document';
import { Empty, Facts, formatUsdc, Id, Moment, Transaction } from './parts';
import { RefundTable } from './refund-table';
import { StateTag } from './state-tag';
import { Summary } from './summary';

interface CallPageProps {
  readonly timeline: CallTimeline;
  /** Latest first. */
  readonly refunds: readonly Refund[];
  readonly formToken: string;
  /** Why a note was not accepted. */
  readonly problem: string | undefined;
  /** What the person who is signed in may do. */
  readonly canNote: boolean;
  readonly canRefund: boolean;
}

/** Everything that the ledger knows about one call, but nothing that its caller sent and nothing from its answer. */
export function CallPage({
  timeline,
  refunds,
  formToken,
  problem,
  canNote,
  canRefund,
}: CallPageProps): ReactNode {
  const { call, moves, postings, transactions, actions } = timeline;
  return (
    <>
      <h1>
        {formatUsdc(call.amountAtomic)} for {call.operation}
      </h1>
      <p>
        <StateTag state={call.state} note={call.moveNote} />
      </p>
      {call.state === 'needs_attention' ? (
        <p>{situationOf({ kind: 'needs_attention', reason: call.moveNote })}</p>
      ) : null}
      {problem === undefined ? null : <Summary title="The note was not added" text={problem} field="note" />}
      <CallFacts timeline={timeline} />
      {canRefund && refundableStates.includes(call.state) ? (
        <p className="actions">
          <a className="button secondary" href={`/operator/calls/${call.id}/refund`}>
            {refunds.length === 0 ? 'Refund' : 'Refund, or finish a refund'}
          </a>
          {call.operation === unmatchedTransfer && call.state === 'needs_attention' ? (
            <a className="button secondary" href={`/operator/calls/${call.id}/keep`}>
              Keep the money
            </a>
          ) : null}
        </p>
      ) : null}
      <h2 id="timeline">Timeline</h2>
      <ol className="timeline">
        {moves.map(({ at, to, note }) => (
          <li key={`${at.toISOString()} ${to}`}>
            <Moment at={at} /> <StateTag state={to} note={note} />
          </li>
        ))}
      </ol>
      <h2>Transactions</h2>
      <Transactions transactions={transactions} />
      {refunds.length === 0 ? null : (
        <>
          <h2 id="refunds">Refunds</h2>
          <RefundTable refunds={refunds} />
        </>
      )}
      <h2>Postings</h2>
      <Postings postings={postings} />
      <h2 id="log">Operator activity</h2>
      {actions.length === 0 ? (
        <Empty>No notes, refunds or other actions yet.</Empty>
      ) : (
        <ol className="items">
          {actions.map((entry) => (
            <ActionEntry key={String(entry.id)} entry={entry} />
          ))}
        </ol>
      )}
      {canNote ? <NoteForm callId={call.id} formToken={formToken} /> : null}
    </>
  );
}

function NoteForm({ callId, formToken }: { callId: string; formToken: string }): ReactNode {
  return (
    <form method="post" action={`/operator/calls/${callId}`} className="narrow">
      <FormToken value={formToken} />
      <Field id="note" label="Note" hint="For other operators. It goes into the log and cannot be changed.">
        <textarea id="note" name="note" rows={3} maxLength={2_000} required aria-describedby="note-hint" />
      </Field>
      <button type="submit">Add the note</button>
    </form>
  );
}

const answers: Readonly<Record<CallTimeline['call']['answer'], string>> = {
  none: 'none yet',
  stored: 'stored for retries',
  erased: 'erased, because it has expired',
};

function CallFacts({ timeline: { call, bought } }: { timeline: CallTimeline }): ReactNode {
  const { answer, answerStatus, answerExpiresAt } = call;
  const status = answerStatus === null ? '' : `${answerStatus}, `;
  return (
    <Facts
      entries={[
        ['Call', <Id key="id" value={call.id} />],
        ['Payment', call.rail === 'none' ? `no rail, ${call.network}` : `${call.rail} on ${call.network}`],
        [
          'Payer',
          <a key="payer" href={`/operator/calls?payer=${encodeURIComponent(call.payer)}`}>
            <Id value={call.payer} />
          </a>,
        ],
        ['Paid to', <Id key="payTo" value={call.payTo} />],
        [
          'Transaction',
          <Transaction key="transaction" hash={call.transactionHash} page={call.transactionPage} />,
        ],
        ['Response', `${status}${answers[answer]}`],
        ...(answer === 'stored' && answerExpiresAt !== null
          ? [['Stored until', <Moment key="until" at={answerExpiresAt} />] as const]
          : []),
        ...(bought.length > 0
          ? [['Bought', bought.map((id) => <BoughtLink key={id} id={id} />)] as const]
          : []),
        ...(call.refusalReason === null
          ? []
          : [['Refused because', <code key="r">{call.refusalReason}</code>] as const]),
        ...(call.creditedAccount === null
          ? []
          : [['Credited to', <Id key="account" value={call.creditedAccount} />] as const]),
        ...(call.reorganizations === 0 ? [] : [['Reorganizations', call.reorganizations] as const]),
        ...(call.workedBy === null
          ? []
          : [
              ['Worked on by', <Id key="process" value={call.workedBy} />] as const,
              ['Attempts', call.attempts] as const,
            ]),
        ['Started', <Moment key="begun" at={call.createdAt} />],
      ]}
    />
  );
}

/** Where an upload or a form can be taken down. */
function BoughtLink({ id }: { id: string }): ReactNode {
  const folder = id.startsWith('fm_') ? 'forms' : 'uploads';
  return (
    <a href={`/operator/${folder}/${id}`}>
      <Id value={id} />
    </a>
  );
}

function Transactions({ transactions }: { transactions: readonly TimelineTransaction[] }): ReactNode {
  if (transactions.length === 0) return <Empty>No transaction has carried this payment.</Empty>;
  return (
    <Table
      label="Transactions"
      columns={[
        { title: 'Transaction' },
        { title: 'State' },
        { title: 'Signed' },
        { title: 'In a block' },
        { title: 'Final' },
        { title: 'Payments', className: 'number' },
        { title: 'Fee', className: 'number' },
      ]}
      rows={transactions.map((one) => ({
        key: one.id,
        cells: [
          <Transaction key="hash" hash={one.hash} page={one.page} isShort />,
          one.reorganizations === 0 ? one.state : `${one.state}, ${one.reorganizations} reorganizations`,
          <Moment key="signed" at={one.createdAt} />,
          one.confirmedAt === null ? 'no' : <Moment key="confirmed" at={one.confirmedAt} />,
          one.finalAt === null ? 'no' : <Moment key="final" at={one.finalAt} />,
          one.payments,
          one.feeAtomic === null ? 'unknown' : `${one.feeAtomic.toLocaleString('en-US')} ${one.feeUnit}`,
        ],
      }))}
    />
  );
}

function Postings({ postings }: { postings: readonly TimelinePosting[] }): ReactNode {
  if (postings.length === 0) return <Empty>Nothing is posted until the payment is settled.</Empty>;
  return (
    <Table
      label="Postings"
      columns={[
        { title: 'What' },
        { title: 'Time (UTC)' },
        { title: 'From' },
        { title: 'To' },
        { title: 'Amount', className: 'number' },
      ]}
      rows={postings.map(({ at, kind, debitAccount, creditAccount, amountAtomic, unit }, index) => ({
        key: String(index),
        cells: [
          kind,
          <Moment key="at" at={at} />,
          <Id key="from" value={debitAccount} />,
          <Id key="to" value={creditAccount} />,
          unit === 'usdc' ? formatUsdc(amountAtomic) : `${amountAtomic.toLocaleString('en-US')} ${unit}`,
        ],
      }))}
    />
  );
}
