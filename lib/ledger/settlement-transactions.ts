import { z } from 'zod';
import type { WithDatabase } from '@/lib/db/database';
import { Prisma } from '@/lib/db/generated/client';
import type { PreparedTransaction } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/networks';
import { carriedCharges } from './paid-call';
import { listed, openSettlementStates } from './states';

const rowSchema = z.object({
  id: z.string(),
  nonce: z.bigint().nullable(),
  hash: z.string(),
  raw: z.instanceof(Uint8Array),
  is_preconfirmed: z.boolean(),
});

/**
 * Transactions of a signer that are not known to be in a block, lowest nonce first, with their payments.
 * @param known hashes that the caller already has
 */
export async function openTransactions(
  app: WithDatabase,
  network: NetworkName,
  signer: string,
  known: readonly string[],
): Promise<PreparedTransaction[]> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT id, nonce, hash, raw, state = 'preconfirmed' AS is_preconfirmed FROM settlement_transaction
    WHERE network = ${network} AND signer = ${signer} AND state IN ${Prisma.raw(listed(openSettlementStates))}
      AND hash NOT IN (SELECT jsonb_array_elements_text(${JSON.stringify(known)}::jsonb))
    ORDER BY nonce, created_at LIMIT 100`;
  return Promise.all(rows.map((row) => toPrepared(app, network, signer, row)));
}

/** The signers with transactions that are not known to be in a block. */
export async function signersOfOpen(app: WithDatabase, network: NetworkName): Promise<string[]> {
  const rows = await app.db.$queryRaw<{ signer: string }[]>`
    SELECT DISTINCT signer FROM settlement_transaction
    WHERE network = ${network} AND signer IS NOT NULL AND state IN ${Prisma.raw(listed(openSettlementStates))}`;
  return rows.map(({ signer }) => signer);
}

/** The transaction of a signer that is recorded as mined with a nonce, and not yet as final; null when there is none. */
export async function minedWithNonce(
  app: WithDatabase,
  network: NetworkName,
  signer: string,
  nonce: bigint,
): Promise<PreparedTransaction | null> {
  const [row] = await app.db.$queryRaw<unknown[]>`
    SELECT id, nonce, hash, raw, false AS is_preconfirmed FROM settlement_transaction
    WHERE network = ${network} AND signer = ${signer} AND nonce = ${nonce} AND state = 'confirmed' AND final_at IS NULL
    ORDER BY confirmed_at DESC LIMIT 1`;
  return row === undefined ? null : toPrepared(app, network, signer, row);
}

async function toPrepared(
  app: WithDatabase,
  network: NetworkName,
  signer: string,
  raw: unknown,
): Promise<PreparedTransaction> {
  const row = rowSchema.parse(raw);
  return {
    network,
    signer,
    nonce: row.nonce,
    hash: row.hash,
    raw: new Uint8Array(row.raw),
    charges: await carriedCharges(app, row.id),
    isPreconfirmed: row.is_preconfirmed,
  };
}

/** Whether a transaction that is not known to be in a block carries a call's payment. */
export async function isUnderWay(app: WithDatabase, paidCallId: string): Promise<boolean> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT 1 AS found FROM paid_call JOIN settlement_transaction ON settlement_transaction.id = paid_call.settlement_id
    WHERE paid_call.id = ${paidCallId} AND settlement_transaction.state IN ${Prisma.raw(listed(openSettlementStates))}`;
  return rows.length > 0;
}

/**
 * Whether such a transaction is one that a live process sees through: its key is leased, and it was signed, or lost its block, a
 * short while ago.
 */
export async function isFollowed(app: WithDatabase, paidCallId: string, now: Date): Promise<boolean> {
  const since = new Date(now.getTime() - app.timings.evm.replaceAlwaysMs);
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT 1 AS found FROM paid_call
      JOIN settlement_transaction settlement ON settlement.id = paid_call.settlement_id
      JOIN settlement_signer lease ON lease.network = settlement.network AND lease.signer = settlement.signer
      JOIN instance ON instance.id = lease.holder
    WHERE paid_call.id = ${paidCallId} AND settlement.state IN ${Prisma.raw(listed(openSettlementStates))}
      AND GREATEST(settlement.created_at, settlement.reorganized_at) > ${since} AND alive_until > now()`;
  return rows.length > 0;
}

/** Ends transactions that can never be mined: another one used their nonce, or their blockhash has expired. */
export async function dropTransactions(
  app: WithDatabase,
  network: NetworkName,
  hashes: readonly string[],
): Promise<void> {
  await app.db.$executeRaw`
    UPDATE settlement_transaction SET state = 'replaced'
    WHERE network = ${network} AND state = 'prepared'
      AND hash IN (SELECT jsonb_array_elements_text(${JSON.stringify(hashes)}::jsonb))`;
}
