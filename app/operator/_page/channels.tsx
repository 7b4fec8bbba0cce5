import type { ReactNode } from 'react';
import { Table } from '@/app/_site/table';
import { currentApp } from '@/lib/app/current';
import type { ListedChannel } from '@/lib/ledger/channel-list';
import { refundingAtomic, unclaimedAtomic } from '@/lib/payments/channels/channel';
import { networkLabel } from '@/lib/payments/network-offers';
import { consolePage, showPage } from './console-route';
import { AsOf, Copyable, Empty, formatDuration, formatUsdc, Id, PageHead, Tag } from './parts';

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
        <Table
          label="Payment channels"
          columns={[
            { title: 'Payer' },
            { title: 'Network' },
            { title: 'Holds' },
            { title: 'Spent' },
            { title: 'Unclaimed' },
            { title: 'Last used' },
          ]}
          rows={channels.map((channel) => ({ key: channel.id, cells: cellsOf(channel, now) }))}
        />
      )}
    </>
  );
}

function cellsOf(channel: ListedChannel, now: number): ReactNode[] {
  const { config, network, balanceAtomic, chargedAtomic, writtenOffAtomic, withdrawingAtomic, usedAt } =
    channel;
  const refunding = refundingAtomic(channel);
  const unclaimed = unclaimedAtomic(channel);
  return [
    <Copyable key="payer" value={config.payer} name="payer">
      <Id value={config.payer} isShort />
    </Copyable>,
    networkLabel(network),
    refunding > 0n
      ? `${formatUsdc(balanceAtomic)}, ${formatUsdc(refunding)} of it to be refunded`
      : formatUsdc(balanceAtomic),
    writtenOffAtomic > 0n
      ? `${formatUsdc(chargedAtomic)}, ${formatUsdc(writtenOffAtomic)} of it written off`
      : formatUsdc(chargedAtomic),
    unclaimed > 0n && withdrawingAtomic > 0n ? (
      <Tag key="unclaimed" tone="wrong">{`${formatUsdc(unclaimed)}, payer is leaving`}</Tag>
    ) : (
      formatUsdc(unclaimed)
    ),
    usedAt === null ? 'never' : `${formatDuration(now - usedAt.getTime())} ago`,
  ];
}
