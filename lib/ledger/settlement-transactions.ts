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
  return Promise.all(
    rows.map(async (raw) => {
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
    }),
  );
}

/** Whether a transaction that is not known to be in a block carries a call's payment. */
export async function isUnderWay(app: WithDatabase, paidCallId: string): Promise<boolean> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT 1 AS found FROM paid_call JOIN settlement_transaction ON settlement_transaction.id = paid_call.settlement_id
    WHERE paid_call.id = ${paidCallId} AND settlement_transaction.state IN ${Prisma.raw(listed(openSettlementStates))}`;
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
