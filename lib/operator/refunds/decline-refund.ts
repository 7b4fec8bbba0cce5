import { declineRefundRequest, findRefundRequest, type RefundRequest } from '@/lib/ledger/refund-requests';
import { type Operator, recordAction } from '@/lib/operator/actions';
import type { WithDatabase } from '@/lib/platform/database/database';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';

/** What an operator may know about a payer's request for a refund without reading the payer's message. */
export interface ReadRequest extends Pick<RefundRequest, 'reason' | 'requestedAt' | 'state' | 'answer'> {
  /** False when the payer wrote nothing, or it is erased. */
  readonly hasMessage: boolean;
}

/** The request of a call; null when there is none. */
export async function readRefundRequest(app: WithDatabase, paidCallId: string): Promise<ReadRequest | null> {
  const request = await findRefundRequest(app, paidCallId);
  if (!request) return null;
  const { reason, message, requestedAt, state, answer } = request;
  return { reason, hasMessage: message !== null, requestedAt, state, answer };
}

/**
 * What the payer wrote; reading it is recorded first, like any look at content. Null when there is nothing, or no DATA_KEY
 * opens it.
 */
export async function showRefundMessage(
  app: WithDatabase & Pick<Platform, 'keys'>,
  actor: Operator,
  paidCallId: string,
): Promise<string | null> {
  const request = await findRefundRequest(app, paidCallId);
  if (!request?.message) return null;
  const target = { kind: 'paid_call', id: paidCallId } as const;
  await recordAction(app, { actor, action: 'refund.read', target, correlationId: newId('op') });
  return app.keys.tryDecrypt(request.message)?.toString() ?? null;
}

/**
 * Declines the request of a payer for a refund. The payer can read the answer.
 * @returns false when the call has no open request
 */
export async function declineRefund(
  app: WithDatabase & Pick<Platform, 'clock'>,
  actor: Operator,
  paidCallId: string,
  answer: string,
): Promise<boolean> {
  return app.db.$transaction(async (db) => {
    const isDeclined = await declineRefundRequest(db, paidCallId, answer, app.clock.date());
    if (!isDeclined) return false;
    const target = { kind: 'paid_call', id: paidCallId } as const;
    await recordAction(
      { db },
      { actor, action: 'refund.decline', target, note: answer, correlationId: newId('op') },
    );
    return true;
  });
}
