import type { ReactNode } from 'react';
import { describing, Field } from '@/app/_page/field';
import { Table } from '@/app/_site/table';
import type {
  CallTimeline,
  TimelineMove,
  TimelinePosting,
  TimelineTransaction,
} from '@/lib/operator/calls/timeline';
import { ActionEntry } from './action-entry';
import { FormToken } from './document';
import { GasAmount } from './gas';
import { Empty, formatDuration, formatUsdc, Id, Moment, Transaction } from './parts';
import { StateTag } from './state-tag';
import { errorsOf, type Problem } from './summary';

/** The records of a call: its moves, transactions and postings, and what operators did about it. */

export function Timeline({ moves }: { moves: readonly TimelineMove[] }): ReactNode {
  return (
    <ol className="timeline">
      {moves.map(({ at, to, note }, index) => {
        const before = moves[index - 1];
        return (
          <li key={`${at.toISOString()} ${to}`}>
            <Moment at={at} isPrecise />
            <span className="since">{before && formatStep(at.getTime() - before.at.getTime())}</span>
            <div className="state">
              <StateTag state={to} note={note} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** `+412 ms`, `+3.5 s`, `+2 hours`: how long after the step before. */
function formatStep(ms: number): string {
  if (ms < 1_000) return `+${ms} ms`;
  return ms < 60_000 ? `+${(ms / 1_000).toFixed(1)} s` : `+${formatDuration(ms)}`;
}

export function Transactions({ transactions }: { transactions: readonly TimelineTransaction[] }): ReactNode {
  if (transactions.length === 0) return <Empty>No transaction carries this payment.</Empty>;
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
          one.feeAtomic === null ? (
            'unknown'
          ) : (
            <GasAmount key="fee" network={one.network} atomic={one.feeAtomic} />
          ),
        ],
      }))}
    />
  );
}

export function Postings({ postings }: { postings: readonly TimelinePosting[] }): ReactNode {
  if (postings.length === 0) return <Empty>Nothing is posted until the payment is settled.</Empty>;
  return (
    <Table
      label="Postings"
      columns={[
        { title: 'What' },
        { title: 'Time' },
        { title: 'From' },
        { title: 'To' },
        { title: 'Amount', className: 'number' },
      ]}
      rows={postings.map((posting, index) => ({
        key: String(index),
        cells: [
          posting.kind,
          <Moment key="at" at={posting.at} />,
          <Id key="from" value={posting.debitAccount} isShort />,
          <Id key="to" value={posting.creditAccount} isShort />,
          amountOf(posting),
        ],
      }))}
    />
  );
}

/** Gas is posted to `expense:gas:base` and the like, in the coin of the network. */
function amountOf({ amountAtomic, unit, debitAccount, creditAccount }: TimelinePosting): ReactNode {
  if (unit === 'usdc') return formatUsdc(amountAtomic);
  const expense = [debitAccount, creditAccount].find((account) => account.startsWith('expense:'));
  const network = expense?.split(':')[2];
  return network === undefined ? (
    `${amountAtomic.toLocaleString('en-US')} ${unit}`
  ) : (
    <GasAmount network={network} atomic={amountAtomic} />
  );
}

interface CallActivityProps {
  readonly timeline: CallTimeline;
  /** Null for someone who may not add a note. */
  readonly formToken: string | null;
  /** Why a note was not accepted. */
  readonly problems: readonly Problem[];
}

/** What operators did about the call, with a form to add a note. */
export function CallActivity({
  timeline: { call, actions },
  formToken,
  problems,
}: CallActivityProps): ReactNode {
  return (
    <>
      {actions.length === 0 ? (
        <Empty>No notes, refunds or other actions yet.</Empty>
      ) : (
        <ol className="items">
          {actions.map((entry) => (
            <ActionEntry key={String(entry.id)} entry={entry} />
          ))}
        </ol>
      )}
      {formToken === null ? null : <NoteForm callId={call.id} formToken={formToken} problems={problems} />}
    </>
  );
}

const noteHint = 'For other operators. It goes into the log and cannot be changed.';

function NoteForm({
  callId,
  formToken,
  problems,
}: {
  callId: string;
  formToken: string;
  problems: readonly Problem[];
}): ReactNode {
  const { note: error } = errorsOf(problems);
  return (
    <form method="post" action={`/operator/calls/${callId}`} className="narrow" noValidate>
      <FormToken value={formToken} />
      <Field id="note" label="Note" hint={noteHint} error={error}>
        <textarea
          id="note"
          name="note"
          rows={3}
          maxLength={2_000}
          {...describing('note', { hint: noteHint, error })}
        />
      </Field>
      <button type="submit" className="secondary">
        Add the note
      </button>
    </form>
  );
}
