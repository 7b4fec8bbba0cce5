import { db } from '@/lib/db/client';
import type { NetworkName } from '@/lib/payments/networks';
import type { Lease } from '@/lib/payments/payment';
import { openTransactions } from './settlement-transactions';

/** An open transaction of this age is followed by nobody: whoever sends it has it in a block, or follows it, by then. */
const leftBehindMs = 15_000;

/**
 * Takes a signer for an instance, or keeps it, unless another live instance has it. A lease lasts as long as its holder's
 * heartbeat, so it costs nothing to keep.
 */
export async function leaseSigner(
  network: NetworkName,
  signer: string,
  known: readonly string[],
  instanceId: string,
): Promise<Lease | null> {
  const [row] = await db().$queryRaw<{ next_nonce: bigint | null }[]>`
    WITH kept AS (
      SELECT next_nonce FROM settlement_signer
      WHERE network = ${network} AND signer = ${signer} AND holder = ${instanceId}
    ), taken AS (
      INSERT INTO settlement_signer AS lease (network, signer, holder, used_at)
      SELECT ${network}, ${signer}, ${instanceId}, now() WHERE NOT EXISTS (SELECT FROM kept)
      ON CONFLICT (network, signer) DO UPDATE SET holder = EXCLUDED.holder
      WHERE lease.holder IS NULL
        OR NOT EXISTS (SELECT FROM instance WHERE id = lease.holder AND alive_until > now())
      RETURNING next_nonce
    )
    SELECT next_nonce FROM kept UNION ALL SELECT next_nonce FROM taken`;
  if (!row) return null;
  return { nextNonce: row.next_nonce, open: await openTransactions(network, signer, known) };
}

/** Lets another instance have a signer at once. */
export async function giveBackSigner(
  network: NetworkName,
  signer: string,
  instanceId: string,
): Promise<void> {
  await db().$executeRaw`
    UPDATE settlement_signer SET holder = NULL
    WHERE network = ${network} AND signer = ${signer} AND holder = ${instanceId}`;
}

/** Whether a live instance says that it has a key for the network. */
export async function hasSigner(network: NetworkName): Promise<boolean> {
  const rows = await db().$queryRaw<unknown[]>`
    SELECT 1 FROM instance WHERE alive_until > now() AND ${network} = ANY(settles) LIMIT 1`;
  return rows.length > 0;
}

/** Whether charges wait for a signer, or open transactions for somebody who follows them. */
export async function hasWork(network: NetworkName, now: Date): Promise<boolean> {
  const leftBehind = new Date(now.getTime() - leftBehindMs);
  const [row] = await db().$queryRaw<{ hasWork: boolean }[]>`
    SELECT EXISTS (SELECT FROM paid_call WHERE network = ${network} AND handed_over_at IS NOT NULL)
      OR EXISTS (SELECT FROM settlement_transaction
        WHERE network = ${network} AND state = 'prepared' AND created_at < ${leftBehind}) AS "hasWork"`;
  return row?.hasWork ?? false;
}
