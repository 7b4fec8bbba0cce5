import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type ListedChannel, listChannels } from '@/lib/ledger/channel-list';
import { refundingAtomic } from '@/lib/payments/channels/book';
import { toPrice } from '@/lib/payments/money';
import { parseSettings } from '@/lib/platform/settings';
import type { Command } from './command';
import { jsonOf, parseOptions } from './options';

const options = z.object({
  limit: z.coerce.number().int('must be a number of channels').min(1).max(100_000).default(50),
});

/** Lists payment channels. */
export const channels: Command = {
  synopsis: 'channels [--limit N] [--json]',
  help: [
    'lists payment channels: those that are being emptied while something is unclaimed first, then others with something',
    'unclaimed, then those used last; exits with 1 if money is unclaimed in a channel that is being emptied',
    '--limit       at most this many channels; 50 unless given',
    '--json        prints one JSON object per line instead of text',
  ],

  async run(args, context) {
    const { values } = parseArgs({
      args: [...args],
      options: { limit: { type: 'string' }, json: { type: 'boolean', default: false } },
    });
    const { limit } = parseOptions(options, { limit: values.limit });
    const app = context.openApp(parseSettings(context.env));
    try {
      const listed = await listChannels(app, limit);
      for (const channel of listed) context.print(values.json ? jsonOf(factsOf(channel)) : textOf(channel));
      if (!values.json) context.print(summaryOf(listed));
      return listed.some(isAtRisk) ? 1 : 0;
    } finally {
      await app.close();
    }
  },
};

/** Its payer takes money out that is ours, and not claimed. */
function isAtRisk(channel: ListedChannel): boolean {
  const { balanceAtomic, chargedAtomic, claimedAtomic, withdrawingAtomic } = channel;
  const isBeingEmptied = withdrawingAtomic > 0n && chargedAtomic > balanceAtomic - withdrawingAtomic;
  return isBeingEmptied && chargedAtomic > claimedAtomic;
}

function factsOf(channel: ListedChannel) {
  const { id, network, config, balanceAtomic, chargedAtomic, claimedAtomic, withdrawingAtomic } = channel;
  const { readAt, usedAt, claimSentAt } = channel;
  return {
    id,
    network,
    payer: config.payer,
    balance: toPrice(balanceAtomic),
    spent: toPrice(chargedAtomic),
    claimed: toPrice(claimedAtomic),
    withdrawing: toPrice(withdrawingAtomic),
    refunding: toPrice(refundingAtomic(channel)),
    usedAt,
    claimSentAt,
    readAt,
  };
}

function textOf(channel: ListedChannel): string {
  const { id, network, payer, balance, spent, claimed, withdrawing, refunding } = factsOf(channel);
  const used = channel.usedAt === null ? 'never used' : `used ${channel.usedAt.toISOString()}`;
  const leaving = channel.withdrawingAtomic > 0n ? `, ${withdrawing} is being withdrawn` : '';
  const refunded = refundingAtomic(channel) > 0n ? `, ${refunding} is to be refunded` : '';
  return [
    `${id}  ${network}, ${used}`,
    `  payer ${payer}`,
    `  holds ${balance} USDC: ${spent} spent, ${claimed} of it claimed${leaving}${refunded}`,
  ].join('\n');
}

function summaryOf(listed: readonly ListedChannel[]): string {
  if (listed.length === 0) return 'There are no payment channels.';
  const unclaimed = listed.reduce((sum, { chargedAtomic, claimedAtomic }) => {
    const more = chargedAtomic - claimedAtomic;
    return more > 0n ? sum + more : sum;
  }, 0n);
  return `${listed.length} ${listed.length === 1 ? 'channel' : 'channels'}, ${toPrice(unclaimed)} USDC unclaimed`;
}
