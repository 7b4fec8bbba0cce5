import { z } from 'zod';
import type { GasHistory, GasInVain, GasQuery } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import { batchedQuery } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Platform } from '@/lib/platform/platform';
import { listed, paidStates } from './states';

/** Beyond this number, payers are queried one by one. */
const payersMax = 10_000;

/** Records the payer, and the code of the payer's wallet, that made a mined transaction spend gas in vain. */
export async function blameForGas(
  app: WithDatabase & Pick<Platform, 'clock'>,
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

/** The most failures of one payer, and of all payers with code, that are counted. Fewer use up every budget. */
const countedMax = { ofPayer: 500, ofAll: 2_000 } as const;

const spentSchema = z.object({ gas: z.coerce.bigint(), oldest: z.coerce.date().nullable() });
const recordSchema = z.object({
  of_payer: z.array(z.object({ at: z.coerce.date(), gas: z.coerce.bigint() })),
  by_code: spentSchema,
  by_client: spentSchema,
  by_all: spentSchema,
  has_paid: z.boolean(),
});

/** The gas in vain that counts. That of a payment which a third party submitted before us does not: its payer has paid. */
const counted = Prisma.sql`
  gas_in_vain spent
  JOIN paid_call ON paid_call.id = spent.paid_call_id
  LEFT JOIN settlement_transaction settlement ON settlement.id = paid_call.settlement_id
  WHERE (settlement.signer IS NOT NULL OR paid_call.settlement_id IS NULL)`;

/** The sum of some of the gas that all payers with code have spent, and the time of its first entry. */
const sumOf = (which: Prisma.Sql) => Prisma.sql`
  (SELECT json_build_object('gas', COALESCE(sum(gas), 0)::text, 'oldest', min(at)) FROM of_all WHERE ${which})`;

/** Gas spent in vain on a network: by a payer, and by others with code. */
export async function gasInVain(
  app: WithDatabase,
  network: NetworkName,
  payer: string,
  code: string | null,
  { ofPayerSince, ofOthersSince, sameClient }: GasQuery,
): Promise<GasHistory> {
  const rows = await app.db.$queryRaw<unknown[]>`
    WITH of_payer AS (
      SELECT spent.at, spent.gas::text AS gas FROM ${counted}
        AND spent.network = ${network} AND spent.payer = ${payer} AND spent.at > ${ofPayerSince}
      ORDER BY spent.at DESC LIMIT ${countedMax.ofPayer}
    ), of_all AS (
      SELECT spent.payer, spent.code, spent.gas, spent.at FROM ${counted}
        AND spent.network = ${network} AND spent.code IS NOT NULL AND spent.at > ${ofOthersSince}
      ORDER BY spent.at DESC LIMIT ${countedMax.ofAll}
    )
    SELECT COALESCE((SELECT json_agg(of_payer) FROM of_payer), '[]') AS of_payer,
      ${sumOf(Prisma.sql`code = ${code}`)} AS by_code,
      ${sumOf(Prisma.sql`payer = ANY(${[...sameClient]}::text[])`)} AS by_client,
      ${sumOf(Prisma.sql`true`)} AS by_all,
      EXISTS (
        SELECT FROM paid_call WHERE network = ${network} AND paid_call.payer = ${payer}
          AND state IN ${Prisma.raw(listed(paidStates))}
      ) AS has_paid`;
  const row = recordSchema.parse(rows[0]);
  return {
    ofPayer: row.of_payer,
    byCode: row.by_code,
    byClient: row.by_client,
    byAll: row.by_all,
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
