import type { ReactNode } from 'react';
import type { Refund } from '@/lib/ledger/refund-records';
import { networkLabel } from '@/lib/payments/network-offers';
import { FormToken } from './document';
import { NoteField } from './note-field';
import { Facts, formatUsdc, Id } from './parts';
import { RefundFacts, type StepProps } from './refund-parts';

/** The two steps that cancel a refund. */

/** The first step, as a part of the page of the refund. */
export function CancelForm({
  refund,
  note,
  error,
  callId,
  formToken,
}: {
  refund: Refund;
  note: string | undefined;
  /** Why the note was not accepted. */
  error: string | undefined;
  callId: string;
  formToken: string;
}): ReactNode {
  return (
    <form method="post" action={`/operator/calls/${callId}/refund`} className="narrow">
      <h2>Cancel the refund that is {refund.state}</h2>
      <p>A refund can be canceled if it was never sent, or if it failed. The chain is searched first.</p>
      <FormToken value={formToken} />
      <input type="hidden" name="step" value="review-cancel" />
      <input type="hidden" name="refund" value={refund.id} />
      <NoteField id="cancel-note" value={note} hint="Why it is canceled." error={error} />
      <button type="submit" className="secondary">
        Check whether it can be canceled
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
          ['Network', networkLabel(refund.network)],
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
