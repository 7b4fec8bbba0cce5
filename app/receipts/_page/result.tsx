import type { ReactNode } from 'react';
import { momentWords } from '@/app/_page/moment';
import { StatusMark } from '@/app/_site/status-mark';
import { operations } from '@/lib/catalog';
import type { PaidCallSummary } from '@/lib/ledger/paid-call-summary';
import { transactionPage } from '@/lib/payments/explorers';
import { toPrice } from '@/lib/payments/money';
import { networkLabel } from '@/lib/payments/network-offers';
import { type Match, problemWords, type Verdict } from '@/lib/payments/receipts/verify-receipt';

/** Says in a few words what verifying a receipt has shown: also the title of the page. */
export function outcomeTitle(verdict: Verdict): string {
  if (!verdict.isValid) return 'Not a valid receipt';
  const { request, answer } = verdict;
  if (request !== false && answer !== false) return 'Genuine receipt';
  const others = [request === false ? 'request' : '', answer === false ? 'response' : ''].filter(Boolean);
  return `Genuine receipt, but not for this ${others.join(' and ')}`;
}

/** The result of verifying a receipt. */
export function ReceiptResult({
  verdict,
  call,
}: {
  verdict: Verdict;
  call: PaidCallSummary | null;
}): ReactNode {
  const title = outcomeTitle(verdict);
  if (!verdict.isValid) return <Outcome isGood={false} title={title} text={problemWords[verdict.problem]} />;
  const isOther = verdict.request === false || verdict.answer === false;
  return (
    <>
      <Outcome
        isGood={!isOther}
        title={title}
        text={
          isOther
            ? 'This service signed it for a different request or response.'
            : 'This service signed it, and nothing in it was changed.'
        }
      />
      <Facts verdict={verdict} call={call} />
    </>
  );
}

/** It gets the focus, so that a screen reader begins there. */
function Outcome({ isGood, title, text }: { isGood: boolean; title: string; text: string }): ReactNode {
  return (
    // biome-ignore lint/a11y/noAutofocus: after a post without a script, the focus must be on the outcome.
    <div className={isGood ? 'notice good' : 'notice wrong'} role="status" tabIndex={-1} autoFocus>
      <h2>
        <StatusMark isGood={isGood} /> {title}
      </h2>
      <p>{text}</p>
    </div>
  );
}

function Comparison({ match }: { match: Match }): ReactNode {
  if (match === null) return 'Not compared';
  return (
    <>
      <StatusMark isGood={match} /> {match ? 'Same as you entered' : 'Not what you entered'}
    </>
  );
}

const stateWords: Readonly<Record<PaidCallSummary['state'], string>> = {
  claimed: 'In progress',
  settling: 'In progress',
  settled: 'Paid, being delivered',
  unknown: 'Outcome not known yet',
  delivered: 'Delivered',
  kept: 'Charged, without a result',
  refused: 'Refused, not charged',
  needs_attention: 'Paid, under review by the operator',
  refunded: 'Refunded',
};

function Facts({
  verdict: { receipt, key, request, answer },
  call,
}: {
  verdict: Extract<Verdict, { isValid: true }>;
  call: PaidCallSummary | null;
}): ReactNode {
  const { amount, operation, payer, payTo, network, transaction, issuedAt, paidCallId, answerStatus } =
    receipt;
  const explorer = call && transaction !== '' ? transactionPage(call.network, transaction) : null;
  const title = operations.find(({ id }) => id === operation)?.title;
  const issued = new Date(issuedAt * 1000);
  return (
    <dl className="facts">
      <Fact name="Paid">
        <strong>{toPrice(BigInt(amount))} USDC</strong> on {networkLabel(network)}
      </Fact>
      <Fact name="For">
        {title} <code>{operation}</code>
      </Fact>
      <Fact name="Issued">
        <time dateTime={issued.toISOString()}>{momentWords(issued, 'en-US', 'UTC')}</time>
      </Fact>
      <Fact name="Request">
        <Comparison match={request} />
      </Fact>
      <Fact name="Response">
        <Comparison match={answer} />
      </Fact>
      <Fact name="Status when issued">
        {answerStatus < 400 ? `Success (${answerStatus})` : `Error (${answerStatus}), payment kept`}
      </Fact>
      <Fact name="Status now">{call ? stateWords[call.state] : 'No record of this call'}</Fact>
      <Fact name="Payer">
        <code>{payer}</code>
      </Fact>
      <Fact name="Recipient">
        <code>{payTo}</code>
      </Fact>
      <Fact name="Transaction">
        {transaction === '' ? (
          'None'
        ) : explorer ? (
          <a href={explorer}>
            <code>{transaction}</code>
          </a>
        ) : (
          <code>{transaction}</code>
        )}
      </Fact>
      <Fact name="Paid call ID">
        <code>{paidCallId}</code>
      </Fact>
      <Fact name="Signed with key">
        <code>{key.id}</code>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
