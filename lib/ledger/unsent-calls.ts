import type { PaidCall } from '@/lib/calls/paid-call';
import type { WithDatabase } from '@/lib/platform/database/database';
import { insertRefund, recordRefundPosted } from './refunds';
import { callMoves } from './transition';

/**
 * Refunds a settled call that a prepaid account paid for and for which nothing was sent: through `needs_attention` to `refunded`,
 * in one transaction. The database allows one refund of a call, so its price returns to the account once, by a posting of the
 * same triggers as for every refund.
 * @param note why nothing was sent
 * @returns false when the call has moved on
 * @throws a check violation when the account is revoked; nothing is recorded then
 */
export function refundUnsent(
  app: WithDatabase,
  call: Pick<PaidCall, 'id' | 'payment'>,
  note: string,
  now: Date,
): Promise<boolean> {
  return app.db.$transaction(async (db) => {
    const { set, isLegal } = callMoves.move('needsAttention', { at: now, move_note: note });
    const moved = await db.$executeRaw`UPDATE paid_call SET ${set} WHERE id = ${call.id} AND ${isLegal}`;
    if (moved === 0) return false;
    const refund = {
      paidCallId: call.id,
      method: 'account',
      accountId: call.payment.payer,
      reason: 'not_delivered',
      note,
      sinceHeight: null,
    } as const;
    const refundId = await insertRefund(db, refund, now, now);
    await recordRefundPosted(db, refundId, now);
    return true;
  });
}
