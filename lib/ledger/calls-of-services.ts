import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { callMoves } from './transition';

/** What services may ask the ledger about the calls that their rows belong to, in their own statements where that saves a query. */

/**
 * A query for a call in preparation, which returns its id and locks it: it is refused before or after the rest of the statement,
 * not meanwhile.
 */
export function lockPreparing(paidCallId: string): Prisma.Sql {
  return Prisma.sql`SELECT id FROM paid_call WHERE id = ${paidCallId} AND ${callMoves.isLegal('prepared')} FOR UPDATE`;
}

/**
 * The condition that a call was paid for on a network.
 * @param paidCallId a column of the statement
 */
export function isPaidOn(paidCallId: Prisma.Sql, network: string): Prisma.Sql {
  return Prisma.sql`EXISTS (SELECT FROM paid_call AS bought WHERE bought.id = ${paidCallId} AND bought.network = ${network})`;
}

/** The same for one call. */
export async function wasPaidOn(
  { db }: Pick<WithDatabase, 'db'>,
  paidCallId: string,
  network: string,
): Promise<boolean> {
  return (await db.paidCall.count({ where: { id: paidCallId, network } })) === 1;
}
