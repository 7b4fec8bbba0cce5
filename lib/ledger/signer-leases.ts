import type { WithDatabase } from '@/lib/db/database';
import type { NetworkName } from '@/lib/payments/networks';
import type { Lease } from '@/lib/payments/payment';
import { openTransactions } from './settlement-transactions';

/**
 * Leases a signer to an instance, or renews the lease, unless another live instance holds it. A lease lasts as long as the
 * heartbeat of its holder, so renewing it costs nothing.
 */
export async function leaseSigner(
  app: WithDatabase,
  network: NetworkName,
  signer: string,
  known: readonly string[],
  instanceId: string,
): Promise<Lease | null> {
  const [row] = await app.db.$queryRaw<{ next_nonce: bigint | null }[]>`
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
  return { nextNonce: row.next_nonce, open: await openTransactions(app, network, signer, known) };
}

/** Ends a lease, so that another instance can take the signer at once. */
export async function releaseSigner(
  app: WithDatabase,
  network: NetworkName,
  signer: string,
  instanceId: string,
): Promise<void> {
  await app.db.$executeRaw`
    UPDATE settlement_signer SET holder = NULL
    WHERE network = ${network} AND signer = ${signer} AND holder = ${instanceId}`;
}

/** Whether a live instance reports a settlement key for the network. */
export async function hasSigner(app: WithDatabase, network: NetworkName): Promise<boolean> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT 1 FROM instance WHERE alive_until > now() AND ${network} = ANY(settles) LIMIT 1`;
  return rows.length > 0;
}

/** Whether charges are queued for a signer, or open transactions were abandoned. */
export async function hasWork(app: WithDatabase, network: NetworkName, now: Date): Promise<boolean> {
  const leftBehind = new Date(now.getTime() - app.timings.evm.leftBehindMs);
  const [row] = await app.db.$queryRaw<{ hasWork: boolean }[]>`
    SELECT EXISTS (SELECT FROM paid_call WHERE network = ${network} AND queued_for_signer_at IS NOT NULL)
      OR EXISTS (SELECT FROM settlement_transaction
        WHERE network = ${network} AND state = 'prepared' AND created_at < ${leftBehind}) AS "hasWork"`;
  return row?.hasWork ?? false;
}
