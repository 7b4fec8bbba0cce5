import type { ChannelItemKind } from '@/lib/ledger/channel-worklist';
import type { FeatureItemWords } from './situation';

const item = (title: string, situation: string): FeatureItemWords => ({
  subject: 'payment channel',
  title,
  situation,
  page: { path: '/operator/channels', link: 'View channels' },
});

/** Items of the worklist about payment channels. */
export const channelItemWords: Readonly<Record<ChannelItemKind, FeatureItemWords>> = {
  channel_leaving: item(
    'Leaving, not claimed',
    'The payer is closing a payment channel, and its spent funds are still unclaimed after an hour. A day after it began, it may be lost. The log says why claims fail: see that the settlement key has gas and that an RPC answers.',
  ),
  channel_unclaimable: item(
    'Cannot be claimed',
    'The contract rejects the claim of a payment channel. The log has its reason. It is tried again every ten minutes, and the other channels are claimed. If its payer has withdrawn the spent funds, write them off with tuppence channels --write-off.',
  ),
  channel_refund_unfinished: item(
    'Not refunded',
    'A payer was promised the rest of a payment channel an hour ago, and the contract has not paid it. The log says why. It is sent again every minute.',
  ),
};
