import type { ReactNode } from 'react';
import { currentApp } from '@/lib/app/current';
import type { WorklistItem } from '@/lib/ledger/worklist';
import { featureItemOf, situationOf } from '@/lib/operator/situation';
import { transactionPage } from '@/lib/payments/explorers';
import { networkLabel } from '@/lib/payments/network-offers';
import { consolePage, showPage } from './console-route';
import {
  AsOf,
  CallLink,
  Copyable,
  Empty,
  Facts,
  formatDuration,
  formatUsdc,
  Id,
  Moment,
  PageHead,
  Tag,
  Transaction,
} from './parts';
import { stateWords } from './state-tag';

/** How many items of each kind a page shows, the oldest first. */
const shownMax = 100;

/** `GET /operator/worklist` */
export const showWorklist = consolePage(async (context) => {
  const items = await currentApp().console.readWorklist(shownMax);
  return showPage(context, 'Worklist', <Worklist items={items} now={currentApp().clock.date()} />);
});

function Worklist({ items, now }: { items: readonly WorklistItem[]; now: Date }): ReactNode {
  return (
    <>
      <PageHead title="Worklist">
        <AsOf now={now.getTime()} />
      </PageHead>
      <p>
        Items that need a decision, oldest first: paid calls that could not be delivered, payments whose
        outcome has been unknown for an hour, transfers that belong to no call, refunds that payers request,
        and what optional ways to pay cannot finish. Everything else is retried automatically.
      </p>
      <p>
        <a href="/operator/transfers">Record an unmatched payment</a>
      </p>
      {items.length === 0 ? (
        <Empty>Nothing needs your attention.</Empty>
      ) : (
        <ul className="items">
          {items.map((item) => (
            <Item key={`${item.kind} ${item.id} ${item.since.getTime()}`} item={item} now={now} />
          ))}
        </ul>
      )}
    </>
  );
}

const titles: Readonly<Partial<Record<WorklistItem['kind'], string>>> = {
  needs_attention: 'Paid, not delivered',
  unknown_for_long: 'Outcome unknown',
  transfer_without_call: 'Unmatched payment',
  refund_unfinished: 'Refund not confirmed',
  refund_failed: 'Refund failed',
  refund_requested: 'Refund requested',
};

function Item({ item, now }: { item: WorklistItem; now: Date }): ReactNode {
  const { operation, network, payer, amountAtomic, transactionHash, reason, since, kind } = item;
  const { name, id, link } = subjectOf(item);
  const ofFeature = featureItemOf(kind);
  return (
    <li>
      <h2>
        {formatUsdc(amountAtomic)} {operation === null ? `in a ${ofFeature?.subject}` : `for ${operation}`}{' '}
        <Tag tone="wrong">{ofFeature?.title ?? titles[kind]}</Tag>
      </h2>
      <p>{situationOf(item)}</p>
      <Facts
        entries={[
          [name, id],
          ['Waiting', `${formatDuration(now.getTime() - since.getTime())}`],
          ['Since', <Moment key="since" at={since} />],
          ...(reason === null ? [] : [['Reason', stateWords(reason)] as const]),
          [
            'Payer',
            <Copyable key="payer" value={payer} name="payer">
              <Id value={payer} isShort />
            </Copyable>,
          ],
          ['Network', networkLabel(network)],
          ...(transactionHash === null
            ? []
            : [
                [
                  'Transaction',
                  <Transaction
                    key="transaction"
                    hash={transactionHash}
                    page={transactionPage(network, transactionHash)}
                    isShort
                  />,
                ] as const,
              ]),
        ]}
      />
      <p className="actions">{link}</p>
    </li>
  );
}

interface Subject {
  readonly name: string;
  readonly id: ReactNode;
  readonly link: ReactNode;
}

/** What an item is about, and where more is said about it. */
function subjectOf({ kind, id, network, transactionHash }: WorklistItem): Subject {
  const shown = <Id key="id" value={id} isShort />;
  const button = (href: string, text: string) => (
    <a className="button secondary" href={href}>
      {text}
    </a>
  );
  const ofFeature = featureItemOf(kind);
  if (ofFeature) {
    const { page } = ofFeature;
    return { name: 'ID', id: shown, link: button(page.path, page.link) };
  }
  if (kind === 'transfer_without_call') {
    const transaction = new URLSearchParams({ network, transaction: transactionHash ?? '' });
    const link = button(`/operator/transfers?${transaction}`, 'Review and record');
    return { name: 'Transfer', id: shown, link };
  }
  const link = button(`/operator/calls/${id}`, 'Review the call');
  return { name: 'Call', id: <CallLink key="id" id={id} isShort />, link };
}
