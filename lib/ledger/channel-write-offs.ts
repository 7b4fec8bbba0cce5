import { type Channel, unclaimableAtomic } from '@/lib/payments/channels/channel';
import { Prisma } from '@/lib/platform/database/generated/client';
import { channelColumns, toChannel } from './channel-book';

/** A payment channel and the total that is now written off. */
interface WrittenOff {
  /** The channel before this write-off. */
  readonly channel: Channel;
  readonly writtenOffAtomic: bigint;
}

/**
 * Writes off what the contract cannot pay out for a channel, according to the newest figures in the ledger. The write-off
 * shrinks when the payer has deposited again. Safe to repeat: each entry is the difference, and its trigger posts it.
 * @param db the client of a transaction: the channel stays locked, so that two operators do not write off the same amount twice
 * @returns null when there is no such channel
 */
export async function writeOffUnclaimable(
  db: Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw'>,
  { channelId, note }: { readonly channelId: string; readonly note: string },
  now: Date,
): Promise<WrittenOff | null> {
  const [row] = await db.$queryRaw<unknown[]>`
    SELECT ${Prisma.raw(channelColumns)} FROM channel WHERE id = ${channelId} FOR NO KEY UPDATE`;
  if (row === undefined) return null;
  const channel = toChannel(row);
  const writtenOffAtomic = unclaimableAtomic(channel);
  const moreAtomic = writtenOffAtomic - channel.writtenOffAtomic;
  if (moreAtomic !== 0n)
    await db.$executeRaw`
      INSERT INTO channel_write_off (channel_id, amount_atomic, note, at)
      VALUES (${channelId}, ${moreAtomic}, ${note}, ${now})`;
  return { channel, writtenOffAtomic };
}
