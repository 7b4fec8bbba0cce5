import type { ReactNode } from 'react';
import { Table } from '@/app/_site/table';
import type { Refund } from '@/lib/ledger/refund-records';
import { transactionPage } from '@/lib/payments/explorers';
import { formatAmount, Id, Moment, Tag, type Tone, Transaction } from './parts';
import { reasonWords } from './refund-review';
import { stateWords } from './state-tag';

const tones: Readonly<Record<Refund['state'], Tone>> = {
  requested: 'warn',
  sent: 'warn',
  confirmed: 'good',
  failed: 'wrong',
  cancelled: 'plain',
};

/** The refunds of a call, latest first. */
export function RefundTable({ refunds }: { refunds: readonly Refund[] }): ReactNode {
  return (
    <Table
      label="Refunds"
      columns={[
        { title: 'Refund' },
        { title: 'State' },
        { title: 'Since' },
        { title: 'Amount (USDC)', className: 'number' },
        { title: 'Recipient' },
        { title: 'Transaction' },
        { title: 'Reason' },
      ]}
      rows={refunds.map((refund) => ({
        key: refund.id,
        cells: [
          <Id key="id" value={refund.id} isShort />,
          <Tag key="state" tone={tones[refund.state]}>
            {refund.state}
          </Tag>,
          <Moment key="since" at={refund.movedAt} />,
          formatAmount(refund.amountAtomic),
          <Id key="to" value={refund.recipient} isShort />,
          <Transaction
            key="transaction"
            hash={refund.transactionHash}
            isShort
            page={refund.transactionHash && transactionPage(refund.network, refund.transactionHash)}
          />,
          [reasonWords[refund.reason], refund.moveNote && stateWords(refund.moveNote)]
            .filter(Boolean)
            .join(', '),
        ],
      }))}
    />
  );
}
