import type { ReactNode } from 'react';
import type { Refund } from '@/lib/ledger/refund-records';
import { refundableStates, unmatchedTransfer } from '@/lib/ledger/states';
import type { CallTimeline } from '@/lib/operator/calls/timeline';
import type { ReadRequest } from '@/lib/operator/refunds/decline-refund';
import { networkLabel } from '@/lib/payments/network-offers';
import { callerGot, reasonWords } from './call-outcome';
import { CallActivity, Postings, Timeline, Transactions } from './call-records';
import { RequestFacts } from './decline';
import { Copyable, Facts, formatUsdc, Id, Moment, PageHead, Transaction } from './parts';
import { RefundTable } from './refund-table';
import { StateTag } from './state-tag';
import { type Problem, Summary } from './summary';

interface CallPageProps {
  readonly timeline: CallTimeline;
  /** Latest first. */
  readonly refunds: readonly Refund[];
  /** What its payer has requested; null when there is no request. */
  readonly request: ReadRequest | null;
  readonly formToken: string;
  /** Why a note was not accepted. */
  readonly problems: readonly Problem[];
  /** What the person who is signed in may do. */
  readonly canNote: boolean;
  readonly canRefund: boolean;
}

/** Everything that the ledger knows about one call, but nothing that its caller sent and nothing from its answer. */
export function CallPage({
  timeline,
  refunds,
  request,
  formToken,
  problems,
  canNote,
  canRefund,
}: CallPageProps): ReactNode {
  const { call, moves, postings, transactions } = timeline;
  return (
    <>
      <PageHead
        title={
          <>
            {formatUsdc(call.amountAtomic)} for {call.operation}
          </>
        }
      >
        <StateTag state={call.state} note={null} />
        {canRefund ? <Actions timeline={timeline} hasRefunds={refunds.length > 0} /> : null}
      </PageHead>
      <Summary title="The note was not added" problems={problems} />
      <CallFacts timeline={timeline} />
      <h2 id="timeline">Timeline</h2>
      <Timeline moves={moves} />
      <h2>Transactions</h2>
      <Transactions transactions={transactions} />
      {refunds.length === 0 ? null : (
        <>
          <h2 id="refunds">Refunds</h2>
          <RefundTable refunds={refunds} />
        </>
      )}
      {request === null ? null : (
        <>
          <h2 id="request">Refund request</h2>
          <RequestFacts request={request} />
          {canRefund && request.state === 'open' ? (
            <p>
              <a href={`/operator/calls/${call.id}/decline`}>Read or decline the request</a>
            </p>
          ) : null}
        </>
      )}
      <h2>Postings</h2>
      <Postings postings={postings} />
      <h2 id="log">Operator activity</h2>
      <CallActivity timeline={timeline} formToken={canNote ? formToken : null} problems={problems} />
    </>
  );
}

function Actions({ timeline, hasRefunds }: { timeline: CallTimeline; hasRefunds: boolean }): ReactNode {
  const { call } = timeline;
  if (!refundableStates.includes(call.state)) return null;
  const obstacle = hasRefunds ? null : refundObstacle(timeline);
  return (
    <p className="head-action actions">
      {call.operation === unmatchedTransfer && call.state === 'needs_attention' ? (
        <a className="button secondary" href={`/operator/calls/${call.id}/keep`}>
          Keep the money
        </a>
      ) : null}
      {obstacle === null ? (
        <a
          className={call.state === 'needs_attention' ? 'button' : 'button secondary'}
          href={`/operator/calls/${call.id}/refund`}
        >
          {hasRefunds ? 'Refund, or finish a refund' : 'Refund'}
        </a>
      ) : (
        <span className="quiet">{obstacle}</span>
      )}
    </p>
  );
}

/**
 * Why no refund can begin, as far as the timeline shows it. The page of the refund knows more.
 * @returns null when nothing here rules it out
 */
function refundObstacle({ call, transactions }: CallTimeline): string | null {
  if (call.creditedAccount !== null) return 'No refund: the deposit was credited to its account.';
  const payment = transactions.find(({ id }) => id === call.settlementId);
  const isPending = payment !== undefined && payment.finalAt === null && payment.state !== 'replaced';
  return isPending ? 'No refund yet: the payment is not final.' : null;
}

const answers: Readonly<Record<CallTimeline['call']['answer'], string>> = {
  none: 'none yet',
  stored: 'stored for retries',
  erased: 'erased, because it has expired',
};

function CallFacts({ timeline: { call, bought } }: { timeline: CallTimeline }): ReactNode {
  const { answer, answerStatus, answerExpiresAt } = call;
  const status = answerStatus === null ? '' : `${answerStatus}, `;
  const reason = reasonWords(call);
  const network = networkLabel(call.network);
  return (
    <Facts
      entries={[
        ...(reason === null ? [] : [['Reason', <strong key="reason">{reason}</strong>] as const]),
        ['Caller got', callerGot(call)],
        [
          'Call',
          <Copyable key="id" value={call.id} name="call ID">
            <Id value={call.id} />
          </Copyable>,
        ],
        ['Payment', call.rail === 'none' ? `no rail, ${network}` : `${call.rail} on ${network}`],
        [
          'Payer',
          <Copyable key="payer" value={call.payer} name="payer">
            <a href={`/operator/calls?payer=${encodeURIComponent(call.payer)}`}>
              <Id value={call.payer} />
            </a>
          </Copyable>,
        ],
        [
          'Paid to',
          <Copyable key="payTo" value={call.payTo} name="recipient">
            <Id value={call.payTo} />
          </Copyable>,
        ],
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
