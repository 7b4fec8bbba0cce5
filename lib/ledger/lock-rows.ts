import type { NetworkName } from '@/lib/payments/network-offers';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Prisma } from '@/lib/platform/database/generated/client';

/**
 * Processes change the same transactions and calls at once. They lock the transactions of a nonce first, in order of id, and
 * then calls, so that none waits for another that waits for it. `NO KEY`, because calls that refer to a transaction do not wait.
 *
 * A statement finds rows as they were when it began, not as they are once it gets its locks. So a statement that looks for the
 * calls of a transaction follows another one that has locked them.
 */

/**
 * A query that locks the transaction with hash $2 on network $1, and those with its nonce, if it has one. It returns the `version`
 * of each row that it has locked. The statement sees another one if the row has changed since it began, and it does not see what
 * the same process did to calls.
 */
export const lockedOfNonce = `
  SELECT id, hash, state, xmin AS version FROM settlement_transaction
  WHERE network = $1 AND (hash = $2
    OR (signer, nonce) = (SELECT signer, nonce FROM settlement_transaction WHERE network = $1 AND hash = $2))
  ORDER BY id FOR NO KEY UPDATE`;

/**
 * Runs a statement that changes transactions and the calls that it finds by them, after those are locked.
 * @param hashes the transactions; those with the same nonces are locked with them
 * @param callIds calls that are locked besides
 */
export function withLockedRows<T>(
  app: Pick<WithDatabase, 'db'>,
  {
    network,
    hashes,
    callIds = [],
  }: {
    readonly network: NetworkName;
    readonly hashes: readonly string[];
    readonly callIds?: readonly string[];
  },
  change: (db: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  return app.db.$transaction(async (db) => {
    const locked = await db.$queryRaw<{ id: string }[]>`
      SELECT id FROM settlement_transaction WHERE id IN (
        SELECT id FROM settlement_transaction WHERE network = ${network} AND hash = ANY(${hashes})
        UNION ALL
        SELECT other.id FROM settlement_transaction one JOIN settlement_transaction other USING (network, signer, nonce)
        WHERE one.network = ${network} AND one.hash = ANY(${hashes}))
      ORDER BY id FOR NO KEY UPDATE`;
    await db.$executeRaw`
      SELECT FROM paid_call WHERE id = ANY(${callIds}) OR settlement_id = ANY(${locked.map(({ id }) => id)})
      ORDER BY id FOR NO KEY UPDATE`;
    return change(db);
  });
}
