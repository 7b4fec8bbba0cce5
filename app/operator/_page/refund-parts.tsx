import type { ReactNode } from 'react';
import type { findRefundOptions } from '@/lib/operator/console/refund-orders';
import { transactionPage } from '@/lib/payments/explorers';
import { networkLabel } from '@/lib/payments/network-offers';
import { CallLink, Facts, formatUsdc, Id, Transaction } from './parts';
import { StateTag } from './state-tag';

/** What the pages of a refund and of its cancellation share. */

export type RefundOptions = NonNullable<Awaited<ReturnType<typeof findRefundOptions>>>;

export interface StepProps {
  readonly options: RefundOptions;
  readonly formToken: string;
}

/** What is refunded, to whom and where: the same in both steps. */
export function RefundFacts({ call }: Pick<RefundOptions, 'call'>): ReactNode {
  return (
    <Facts
      entries={[
        ['Call', <CallLink key="id" id={call.id} />],
        ['State', <StateTag key="state" state={call.state} note={null} />],
        ['Amount', <strong key="amount">{formatUsdc(call.amountAtomic)}</strong>],
        ['Payer', <Id key="payer" value={call.payer} />],
        ['Network', networkLabel(call.network)],
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
