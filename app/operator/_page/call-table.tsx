import type { ReactNode } from 'react';
import { Table } from '@/app/_site/table';
import type { ListedCall } from '@/lib/operator/calls/find-calls';
import { networkLabel } from '@/lib/payments/network-offers';
import { hrefOf } from './call-filters';
import { Ago, CallLink, columnFormat, Id } from './parts';
import { StateTag } from './state-tag';

/**
 * Calls, the newest first. A tablet has no room for their networks and payers. On a phone each has three lines: amount and
 * state, then operation and time, then its ID.
 */
export function CallTable({ calls, now }: { calls: readonly ListedCall[]; now: number }): ReactNode {
  const format = columnFormat(calls.map(({ amountAtomic }) => amountAtomic));
  return (
    <div className="call-list">
      <Table
        label="Calls, the newest first"
        columns={[
          { title: 'Amount (USDC)', className: 'number' },
          { title: 'State' },
          { title: 'Operation' },
          { title: 'Network', className: 'wide' },
          { title: 'Payer', className: 'wide' },
          { title: 'Call', className: 'call-id' },
          { title: 'Time' },
        ]}
        rows={calls.map(({ id, createdAt, state, moveNote, operation, amountAtomic, network, payer }) => ({
          key: id,
          cells: [
            format(amountAtomic),
            <StateTag key="state" state={state} note={moveNote} />,
            operation,
            networkLabel(network),
            <a key="payer" href={hrefOf({ payer })} title={`Calls of ${payer}`}>
              <Id value={payer} isShort />
            </a>,
            <CallLink key="id" id={id} isShort />,
            <Ago key="at" at={createdAt} now={now} />,
          ],
        }))}
      />
    </div>
  );
}
