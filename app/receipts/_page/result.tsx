import type { ReactNode } from 'react';
import type { PaidCallSummary } from '@/lib/ledger/paid-call-summary';
import { transactionPage } from '@/lib/payments/explorers';
import { toPrice } from '@/lib/payments/money';
import { type Match, problemWords, type Verdict } from '@/lib/payments/receipts/verify-receipt';

/** The result of verifying a receipt. */
export function ReceiptResult({
  verdict,
  call,
}: {
  verdict: Verdict;
  call: PaidCallSummary | null;
}): ReactNode {
  if (!verdict.isValid)
    return <Outcome kind="wrong" title="This is not a valid receipt" text={problemWords[verdict.problem]} />;
  const { request, answer } = verdict;
  const isOther = request === false || answer === false;
  return (
    <>
      {isOther ? (
        <Outcome
          kind="wrong"
          title="This receipt is about something else"
          text="The signature is genuine, but what you entered is not what it was issued for."
        />
      ) : (
        <Outcome
          kind="good"
          title="This receipt is genuine"
          text="This service signed it, and nothing in it was changed."
        />
      )}
      <Facts verdict={verdict} call={call} />
    </>
  );
}

/** It gets the focus, so that a screen reader begins there. */
function Outcome({ kind, title, text }: { kind: string; title: string; text: string }): ReactNode {
  return (
    // biome-ignore lint/a11y/noAutofocus: after a post without a script, the focus must be on the outcome.
    <div className={`notice ${kind}`} role="status" tabIndex={-1} autoFocus>
      <h2>{title}</h2>
      <p>{text}</p>
    </div>
  );
}

const matchWords = (match: Match) =>
  match === null ? 'not compared' : match ? 'the same as you entered' : 'not what you entered';

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
  return (
    <dl className="facts">
      <Fact name="Paid">{toPrice(BigInt(amount))} USDC</Fact>
      <Fact name="For">
        <code>{operation}</code>
      </Fact>
      <Fact name="By">
        <code>{payer}</code>
      </Fact>
      <Fact name="To">
        <code>{payTo}</code>
      </Fact>
      <Fact name="Network">
        <code>{network}</code>
      </Fact>
      <Fact name="Transaction">
        {explorer ? <a href={explorer}>{transaction}</a> : transaction || 'none'}
      </Fact>
      <Fact name="Issued">{new Date(issuedAt * 1000).toISOString()}</Fact>
      <Fact name="Request">{matchWords(request)}</Fact>
      <Fact name="Answer">
        status {answerStatus}, {matchWords(answer)}
      </Fact>
      <Fact name="Paid call">
        <code>{paidCallId}</code>
      </Fact>
      <Fact name="Key">
        <code>{key.id}</code>
      </Fact>
      <Fact name="State now">{call ? call.state.replace('_', ' ') : 'not in the books of this service'}</Fact>
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
