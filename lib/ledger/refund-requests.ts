import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { grantedRefundStates } from './refund-states';
import { refundableStates } from './states';

/** A payer's request for a refund. */
export interface RefundRequest {
  readonly paidCallId: string;
  /** A code. */
  readonly reason: string;
  /** The payer's own words, encrypted; null when there are none, or they are erased. */
  readonly message: Uint8Array | null;
  readonly requestedAt: Date;
  readonly declinedAt: Date | null;
  readonly answer: string | null;
  /** `refunded` as soon as a refund of the call is on its way. */
  readonly state: 'open' | 'refunded' | 'declined';
}

/** The call that a refund is requested of. */
export interface RequestedCall {
  readonly payer: string;
  readonly network: string;
  /** Whether its refund can be requested now. */
  readonly isRefundable: boolean;
}

/** A condition on a row of refund_request: its call was refunded, or its refund is on its way. */
const isGranted = Prisma.sql`EXISTS (SELECT FROM refund WHERE refund.paid_call_id = refund_request.paid_call_id
  AND refund.state::text IN (${Prisma.join([...grantedRefundStates])}))`;

/** What waits for the operator: neither declined nor granted. */
export const openRequests = Prisma.sql`refund_request WHERE declined_at IS NULL AND NOT ${isGranted}`;

/** The call with this id; null when there is none. */
export async function findRequestedCall(app: WithDatabase, id: string): Promise<RequestedCall | null> {
  const call = await app.db.paidCall.findUnique({
    select: { payer: true, network: true, state: true, creditedAccount: true },
    where: { id },
  });
  if (!call) return null;
  const { payer, network, state, creditedAccount } = call;
  return { payer, network, isRefundable: creditedAccount === null && refundableStates.includes(state) };
}

/** The request of a call; null when there is none. */
export async function findRefundRequest(
  { db }: Pick<WithDatabase, 'db'>,
  paidCallId: string,
): Promise<RefundRequest | null> {
  const [request] = await db.$queryRaw<RefundRequest[]>`
    SELECT paid_call_id AS "paidCallId", reason, message, requested_at AS "requestedAt", declined_at AS "declinedAt", answer,
      CASE WHEN ${isGranted} THEN 'refunded' WHEN declined_at IS NOT NULL THEN 'declined' ELSE 'open' END AS state
    FROM refund_request WHERE paid_call_id = ${paidCallId}`;
  return request ?? null;
}

/** Records a request, unless its call has one already. */
export async function recordRefundRequest(
  { db }: Pick<WithDatabase, 'db'>,
  request: Pick<RefundRequest, 'paidCallId' | 'reason' | 'requestedAt'> & {
    readonly message: Uint8Array<ArrayBuffer> | null;
  },
): Promise<void> {
  await db.refundRequest.createMany({ data: [request], skipDuplicates: true });
}

/**
 * Declines a request, and erases the payer's words.
 * @returns false when the call has no open request
 */
export async function declineRefundRequest(
  db: Pick<Prisma.TransactionClient, '$executeRaw'>,
  paidCallId: string,
  answer: string,
  now: Date,
): Promise<boolean> {
  const declined = await db.$executeRaw`
    UPDATE refund_request SET declined_at = ${now}, answer = ${answer}, message = NULL
    WHERE paid_call_id = ${paidCallId} AND declined_at IS NULL AND NOT ${isGranted}`;
  return declined === 1;
}

/** Erases the words of requests that were made before a moment, or of one payer. @returns how many */
export async function eraseRefundMessages(
  { db }: { readonly db: Pick<Prisma.TransactionClient, 'refundRequest'> },
  of: { readonly before: Date } | { readonly payer: string },
): Promise<number> {
  const where = 'before' in of ? { requestedAt: { lt: of.before } } : { paidCall: { payer: of.payer } };
  const { count } = await db.refundRequest.updateMany({
    where: { ...where, message: { not: null } },
    data: { message: null },
  });
  return count;
}
