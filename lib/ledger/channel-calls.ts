import { Prisma } from '@/lib/platform/database/generated/client';
import { listed, submittedStates } from './states';

/**
 * The condition that a call's transaction does not pay for it, but is a deposit into a payment channel: the voucher pays, and is
 * charged next.
 * @param call the name that the statement has for paid_call
 */
export const isChargedNext = (call: string) => `${call}.channel_id IS NOT NULL`;

/**
 * The condition that the voucher of a call was charged, and that a reorganization has since removed its deposit. Such a call is
 * not refused: its voucher stands, and the payer's next deposit pays for it.
 */
export const isChargedBefore = `${isChargedNext('paid_call')} AND paid_call.reorganizations > 0
  AND paid_call.state IN ${listed(submittedStates)}`;

/**
 * A part of a statement, for the rows `transaction` that have vanished. What we read of the channels of their calls came from a
 * block that is gone: it is marked as stale, so that no voucher is accepted before the channel is read again. Channels are locked
 * in the order in which charges lock them.
 */
export const outdated = Prisma.raw(`outdated AS (
      UPDATE channel SET read_at = 'epoch' WHERE id IN (
        SELECT id FROM channel WHERE id IN (
          SELECT channel_id FROM paid_call JOIN transaction ON settlement_id = transaction.id)
        ORDER BY id FOR NO KEY UPDATE)
    )`);
