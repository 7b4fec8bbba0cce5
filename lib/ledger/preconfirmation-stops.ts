import { z } from 'zod';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { preconfirmationLost } from './preconfirmation-record';
import { listed, paidStates } from './states';

const stopRow = z.object({
  network: z.string(),
  since: z.date(),
  /** The transaction that was lost first. */
  transactionHash: z.string().nullable(),
  lostPayments: z.number(),
  /** Their sum, in atomic USDC. */
  lostAtomic: z.coerce.bigint(),
});

/** Why answers on pre-confirmations are stopped on a network: what was lost there since the last resumption. */
export type PreconfirmationStop = z.output<typeof stopRow>;

/** The networks on which a loss has stopped answers on pre-confirmations. */
export async function preconfirmationStops(app: Pick<WithDatabase, 'db'>): Promise<PreconfirmationStop[]> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT network, stopped_at AS since, lost_transaction AS "transactionHash", lost_payments AS "lostPayments",
      lost_atomic AS "lostAtomic"
    FROM preconfirmation_switch WHERE stopped_at IS NOT NULL ORDER BY network`;
  return rows.map((row) => stopRow.parse(row));
}

const lostRow = z.object({
  id: z.string(),
  operation: z.string(),
  network: z.string(),
  payer: z.string(),
  amountAtomic: z.coerce.bigint(),
  transactionHash: z.string().nullable(),
  isPaid: z.boolean(),
  since: z.date(),
});

/** A call whose payment was pre-confirmed and lost, on a network where such answers have been stopped since. */
export type LostPayment = z.output<typeof lostRow>;

/** When each call first lost its payment after its network was stopped. */
export const lostSince = Prisma.sql`
  SELECT paid_call_id, min(at) AS since
  FROM paid_call_move move JOIN paid_call call ON call.id = paid_call_id
  JOIN preconfirmation_switch switch ON switch.network = call.network AND at >= stopped_at
  WHERE note = ${Prisma.raw(`'${preconfirmationLost}'`)} AND at >= (SELECT min(stopped_at) FROM preconfirmation_switch)
  GROUP BY paid_call_id`;

/** The calls that lost their payments, oldest first. They are listed until an operator has looked at them and resumes answers. */
export async function lostPayments(app: Pick<WithDatabase, 'db'>, limit: number): Promise<LostPayment[]> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT call.id, operation, network, payer, amount_atomic AS "amountAtomic",
      transaction_hash AS "transactionHash", state IN ${Prisma.raw(listed(paidStates))} AS "isPaid", since
    FROM (${lostSince} ORDER BY since LIMIT ${limit}) AS lost JOIN paid_call call ON call.id = paid_call_id
    ORDER BY since`;
  return rows.map((row) => lostRow.parse(row));
}

/**
 * Resumes answers on pre-confirmations.
 * @returns why they were stopped; null when they were not
 */
export async function resumePreconfirmations(
  { db }: { readonly db: Pick<Prisma.TransactionClient, '$queryRaw'> },
  network: string,
): Promise<PreconfirmationStop | null> {
  const [row] = await db.$queryRaw<unknown[]>`
    WITH stopped AS (
      SELECT * FROM preconfirmation_switch WHERE network = ${network} AND stopped_at IS NOT NULL FOR UPDATE
    )
    UPDATE preconfirmation_switch SET stopped_at = NULL, lost_transaction = NULL, lost_payments = 0, lost_atomic = 0
    FROM stopped WHERE preconfirmation_switch.network = stopped.network
    RETURNING stopped.network, stopped.stopped_at AS since, stopped.lost_transaction AS "transactionHash",
      stopped.lost_payments AS "lostPayments", stopped.lost_atomic AS "lostAtomic"`;
  return row === undefined ? null : stopRow.parse(row);
}
