import type { ReactNode } from 'react';
import type { RefundReason } from '@/lib/ledger/refund-states';
import type { RefundOrder } from '@/lib/operator/console/refund-orders';
import { networkLabel } from '@/lib/payments/network-offers';
import { FormToken } from './document';
import { Facts, formatUsdc, Id } from './parts';
import { RefundFacts, type StepProps } from './refund-parts';

export const reasonWords: Readonly<Record<RefundReason, string>> = {
  not_delivered: 'Paid, not delivered',
  duplicate: 'Duplicate',
  requested_by_caller: 'Requested by caller',
  other: 'Other (explain in note)',
};

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
            order.method === 'account'
              ? 'none: it is posted to the prepaid account at once'
              : networkLabel(call.network),
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
