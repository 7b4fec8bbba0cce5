import type { ReactNode } from 'react';
import { Table } from '@/app/_site/table';
import { currentApp } from '@/lib/app/current';
import type { ListedChannel } from '@/lib/ledger/channel-list';
import { refundingAtomic, unclaimedAtomic } from '@/lib/payments/channels/channel';
import { networkLabel } from '@/lib/payments/network-offers';
import { consolePage, showPage } from './console-route';
import { Ago, AsOf, Copyable, columnFormat, Empty, formatUsdc, Id, PageHead, Tag } from './parts';

const shownMax = 200;

/** `GET /operator/channels` */
export const showChannels = consolePage(async (context) => {
  const { console, clock } = currentApp();
  const channels = await console.listChannels(shownMax);
  return showPage(context, 'Payment channels', <Channels channels={channels} now={clock.now()} />);
});

function Channels({ channels, now }: { channels: readonly ListedChannel[]; now: number }): ReactNode {
  return (
    <>
      <PageHead title="Payment channels">
        <AsOf now={now} />
      </PageHead>
      <p>
        Payers deposit into x402’s contract and pay for calls with signed vouchers. What they spent is yours
        once it is claimed, which happens automatically. Channels with unclaimed money come first.{' '}
        {channels.length === shownMax ? `The first ${shownMax} are shown; ` : ''}
        {channels.length === shownMax ? <code>npm run tuppence -- channels --limit 1000</code> : null}
        {channels.length === shownMax ? ' shows more.' : ''}
      </p>
      {channels.length === 0 ? (
        <Empty>No payer has opened a channel.</Empty>
      ) : (
        <ChannelTable channels={channels} now={now} />
      )}
    </>
  );
}

function ChannelTable({ channels, now }: { channels: readonly ListedChannel[]; now: number }): ReactNode {
  const held = columnFormat(channels.map(({ balanceAtomic }) => balanceAtomic));
  const spent = columnFormat(channels.map(({ chargedAtomic }) => chargedAtomic));
  const unclaimed = columnFormat(channels.map(unclaimedAtomic));
  return (
    <Table
      label="Payment channels"
      columns={[
        { title: 'Payer' },
        { title: 'Network' },
        { title: 'Holds (USDC)', className: 'number' },
        { title: 'Spent (USDC)', className: 'number' },
        { title: 'Unclaimed (USDC)', className: 'number' },
        { title: 'Last used' },
      ]}
      rows={channels.map((channel) => ({
        key: channel.id,
        cells: [
          <Copyable key="payer" value={channel.config.payer} name="payer">
            <Id value={channel.config.payer} isShort />
          </Copyable>,
          networkLabel(channel.network),
          <>
            {held(channel.balanceAtomic)}
            <PartNote atomic={refundingAtomic(channel)} words="to be refunded" />
          </>,
          <>
            {spent(channel.chargedAtomic)}
            <PartNote atomic={channel.writtenOffAtomic} words="written off" />
          </>,
          <>
            {unclaimed(unclaimedAtomic(channel))}
            {unclaimedAtomic(channel) > 0n && channel.withdrawingAtomic > 0n ? (
              <span className="note">
                <Tag tone="wrong">payer is leaving</Tag>
              </span>
            ) : null}
          </>,
          channel.usedAt === null ? 'never' : <Ago key="used" at={channel.usedAt} now={now} />,
        ],
      }))}
    />
  );
}

/** What happens to a part of an amount, below it. */
function PartNote({ atomic, words }: { atomic: bigint; words: string }): ReactNode {
  return atomic > 0n ? <span className="note">{`${formatUsdc(atomic)} ${words}`}</span> : null;
}
