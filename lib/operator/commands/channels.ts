import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type ListedChannel, listChannels } from '@/lib/ledger/channel-list';
import { writeOffUnclaimable } from '@/lib/ledger/channel-write-offs';
import { recordAction } from '@/lib/operator/actions';
import { refundingAtomic, unclaimedAtomic } from '@/lib/payments/channels/channel';
import { toPrice } from '@/lib/payments/money';
import type { WithDatabase } from '@/lib/platform/database/database';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { type Command, type CommandContext, withApp } from './command';
import { jsonOf, limitUpTo, noteSchema, parseOptions } from './options';

interface ChannelsDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock'> {}

const optionsSchema = z
  .strictObject({
    limit: limitUpTo(100_000).optional(),
    'write-off': z.string().trim().toLowerCase().min(1, 'must be the ID of a channel').optional(),
    note: noteSchema.optional(),
    json: z.boolean(),
  })
  .refine((options) => (options['write-off'] === undefined) === (options.note === undefined), {
    path: ['note'],
    error: 'is required with --write-off, and goes with nothing else',
  })
  .refine((options) => options['write-off'] === undefined || options.limit === undefined, {
    path: ['limit'],
    error: 'does not go with --write-off',
  });

/** Lists payment channels, and writes off what cannot be claimed of one. */
export const channels: Command = {
  synopsis: 'channels [--limit N] [--write-off CHANNEL_ID --note TEXT] [--json]',
  help: [
    'lists payment channels: those that are being emptied while something is unclaimed first, then others with something',
    'unclaimed, then those used last; exits with 1 if money is unclaimed in a channel that is being emptied',
    '--limit       at most this many channels; 50 unless given',
    '--write-off   writes off what was spent of this channel and the contract cannot pay, because its payer has withdrawn',
    '              it; when the payer has deposited again, the same takes it back',
    '--note        why, in your words, for the log; required with --write-off',
    '--json        prints one JSON object per line instead of text',
  ],

  async run(args, context) {
    const text = { type: 'string' } as const;
    const { values } = parseArgs({
      args: [...args],
      options: { limit: text, 'write-off': text, note: text, json: { type: 'boolean', default: false } },
    });
    const { limit = 50, 'write-off': channelId, note = '', json } = parseOptions(optionsSchema, values);
    return withApp(context, async (app) => {
      if (channelId === undefined) return await list(app, context, { limit, json });
      return await writeOff(app, context, { channelId, note, json });
    });
  },
};

async function list(
  app: WithDatabase,
  context: CommandContext,
  { limit, json }: { limit: number; json: boolean },
): Promise<0 | 1> {
  const listed = await listChannels(app, limit);
  for (const channel of listed) context.print(json ? jsonOf(factsOf(channel)) : textOf(channel));
  if (!json) context.print(summaryOf(listed));
  return listed.some(isAtRisk) ? 1 : 0;
}

/** Whether its payer is withdrawing money that is ours and not claimed yet. */
function isAtRisk(channel: ListedChannel): boolean {
  const { balanceAtomic, chargedAtomic, withdrawingAtomic } = channel;
  const isBeingEmptied = withdrawingAtomic > 0n && chargedAtomic > balanceAtomic - withdrawingAtomic;
  return isBeingEmptied && unclaimedAtomic(channel) > 0n;
}

function factsOf(channel: ListedChannel) {
  const { id, network, config, balanceAtomic, chargedAtomic, claimedAtomic, withdrawingAtomic } = channel;
  const { writtenOffAtomic, readAt, usedAt, claimSentAt } = channel;
  return {
    id,
    network,
    payer: config.payer,
    balance: toPrice(balanceAtomic),
    spent: toPrice(chargedAtomic),
    claimed: toPrice(claimedAtomic),
    writtenOff: toPrice(writtenOffAtomic),
    withdrawing: toPrice(withdrawingAtomic),
    refunding: toPrice(refundingAtomic(channel)),
    usedAt,
    claimSentAt,
    readAt: knownAt(readAt),
  };
}

/** A reading from before a reorganization belongs to a block that is gone, so it has no time. */
function knownAt(readAt: Date): Date | null {
  return readAt.getTime() === 0 ? null : readAt;
}

function textOf(channel: ListedChannel): string {
  const { id, network, payer, balance, spent, claimed, writtenOff, withdrawing, refunding } =
    factsOf(channel);
  const used = channel.usedAt === null ? 'never used' : `used ${channel.usedAt.toISOString()}`;
  const lost = channel.writtenOffAtomic > 0n ? `, ${writtenOff} written off` : '';
  const leaving = channel.withdrawingAtomic > 0n ? `, ${withdrawing} is being withdrawn` : '';
  const refunded = refundingAtomic(channel) > 0n ? `, ${refunding} is to be refunded` : '';
  return [
    `${id}  ${network}, ${used}`,
    `  payer ${payer}`,
    `  holds ${balance} USDC: ${spent} spent, ${claimed} of it claimed${lost}${leaving}${refunded}`,
  ].join('\n');
}

function summaryOf(listed: readonly ListedChannel[]): string {
  if (listed.length === 0) return 'There are no payment channels.';
  const unclaimed = listed.reduce((sum, channel) => sum + unclaimedAtomic(channel), 0n);
  return `${listed.length} ${listed.length === 1 ? 'channel' : 'channels'}, ${toPrice(unclaimed)} USDC unclaimed`;
}

async function writeOff(
  app: ChannelsDeps,
  context: CommandContext,
  { channelId, note, json }: { channelId: string; note: string; json: boolean },
): Promise<0 | 1> {
  const done = await app.db.$transaction(async (db) => {
    const found = await writeOffUnclaimable(db, { channelId, note }, app.clock.date());
    if (!found) return null;
    const [before, after] = [toPrice(found.channel.writtenOffAtomic), toPrice(found.writtenOffAtomic)];
    if (before !== after)
      await recordAction(
        { db },
        {
          actor: context.operator,
          action: 'channel.write_off',
          target: { kind: 'channel', id: channelId },
          note,
          before: { writtenOff: before },
          after: { writtenOff: after },
          correlationId: newId('op'),
        },
      );
    return { readAt: knownAt(found.channel.readAt), before, after };
  });
  if (!done) {
    const message = `There is no payment channel ${channelId}.`;
    if (json) context.print(jsonOf({ error: { code: 'channel_not_found', message } }));
    else context.printError(message);
    return 1;
  }
  const { readAt, before, after } = done;
  const when = readAt === null ? 'before a reorganization' : `at ${readAt.toISOString()}`;
  const found = `By what was read of the contract ${when}, ${after} USDC of ${channelId} cannot be claimed.`;
  const change =
    before === after ? 'There is nothing to change.' : `It is written off, and was ${before} USDC.`;
  context.print(json ? jsonOf({ id: channelId, writtenOff: after, before, readAt }) : `${found} ${change}`);
  return 0;
}
