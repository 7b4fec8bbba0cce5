import { z } from 'zod';
import { batchedQuery } from '@/lib/db/batched-query';
import type { WithDatabase } from '@/lib/db/database';
import { Prisma } from '@/lib/db/generated/client';
import type { GasInVain, GasRecord } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/networks';
import { listed, paidStates } from './states';

/** Beyond this number, payers are queried one by one. */
const payersMax = 10_000;

/** Records the payer, and the code of the payer's wallet, that made a mined transaction spend gas in vain. */
export async function blameForGas(
  app: WithDatabase,
  network: NetworkName,
  hash: string,
  inVain: GasInVain,
): Promise<void> {
  const { paidCallId, payer, gas, code } = inVain;
  await app.db.$executeRaw`
    INSERT INTO gas_in_vain (settlement_id, paid_call_id, network, payer, code, gas, at)
    SELECT id, ${paidCallId}, network, ${payer}, ${code ?? null}, ${gas}, ${app.clock.date()}
    FROM settlement_transaction WHERE network = ${network} AND hash = ${hash}
    ON CONFLICT (settlement_id, paid_call_id) DO UPDATE SET code = EXCLUDED.code`;
}

const recordSchema = z.object({
  payer_gas: z.coerce.bigint(),
  payer_oldest: z.date().nullable(),
  code_gas: z.coerce.bigint(),
  code_oldest: z.date().nullable(),
  has_paid: z.boolean(),
});

/**
 * Gas spent in vain since a moment: by a payer, and by all payers with the same code. Gas lost because a third party
 * submitted the payment before us does not count: that payer has paid.
 */
export async function gasInVain(
  app: WithDatabase,
  network: NetworkName,
  payer: string,
  code: string | null,
  since: Date,
): Promise<GasRecord> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT COALESCE(sum(gas) FILTER (WHERE spent.payer = ${payer}), 0)::text AS payer_gas,
      min(at) FILTER (WHERE spent.payer = ${payer}) AS payer_oldest,
      COALESCE(sum(gas) FILTER (WHERE spent.code = ${code}), 0)::text AS code_gas,
      min(at) FILTER (WHERE spent.code = ${code}) AS code_oldest,
      EXISTS (
        SELECT FROM paid_call WHERE network = ${network} AND paid_call.payer = ${payer}
          AND state IN ${Prisma.raw(listed(paidStates))}
      ) AS has_paid
    FROM gas_in_vain spent
    JOIN paid_call ON paid_call.id = spent.paid_call_id
    LEFT JOIN settlement_transaction settlement ON settlement.id = paid_call.settlement_id
    WHERE spent.network = ${network} AND spent.at > ${since} AND (spent.payer = ${payer} OR spent.code = ${code})
      AND (settlement.signer IS NOT NULL OR paid_call.settlement_id IS NULL)`;
  const row = recordSchema.parse(rows[0]);
  return {
    byPayer: { gas: row.payer_gas, oldest: row.payer_oldest },
    byCode: { gas: row.code_gas, oldest: row.code_oldest },
    hasPaid: row.has_paid,
  };
}

/** A process checks its networks together, so they share a statement. */
const payersSince = batchedQuery<{ network: NetworkName; since: string }, { payer: string }>(`
  SELECT asked.n, found.payer FROM json_to_recordset($1::json) AS asked(n integer, network text, since timestamptz),
    LATERAL (SELECT DISTINCT payer FROM gas_in_vain WHERE network = asked.network AND at > asked.since LIMIT ${payersMax})
      AS found`);

/** The payers who made us spend gas in vain since a moment. */
export async function payersOfGasInVain(
  app: WithDatabase,
  network: NetworkName,
  since: Date,
): Promise<string[]> {
  const rows = await payersSince(app, { network, since: since.toISOString() });
  return rows.map(({ payer }) => payer);
}
