import { z } from 'zod';
import type { OpenTransaction } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Platform } from '@/lib/platform/platform';
import { withLockedRows } from './lock-rows';
import { carriedCharges } from './paid-call-rows';
import { listed, openSettlementStates, reorganized } from './states';
import { callMoves, settlementMoves } from './transition';

const rowSchema = z.object({
  id: z.string(),
  nonce: z.bigint().nullable(),
  hash: z.string(),
  raw: z.instanceof(Uint8Array),
  state: z.string(),
  created_at: z.date(),
});

const columns = Prisma.raw('id, nonce, hash, raw, state, created_at');

/** The condition that a transaction of ours is not open, and that a reorganization can put it into a block, or into another. */
const mayBeInBlock = Prisma.raw(
  "state IN ('confirmed', 'replaced') AND final_at IS NULL AND raw IS NOT NULL",
);

/**
 * Transactions of a signer that are not known to be in a block, lowest nonce first, with their payments. After a reorganization,
 * a block may have any transaction with the nonce, so those that are not open come with them.
 * @param known hashes that the caller already has
 */
export async function openTransactions(
  app: WithDatabase & Pick<Platform, 'log' | 'keys' | 'problems'>,
  network: NetworkName,
  signer: string,
  known: readonly string[],
): Promise<OpenTransaction[]> {
  const rows = await app.db.$queryRaw<unknown[]>`
    WITH open AS (
      SELECT * FROM settlement_transaction
      WHERE network = ${network} AND signer = ${signer} AND state IN ${Prisma.raw(listed(openSettlementStates))}
    ), followed AS (
      SELECT * FROM open
      UNION ALL
      SELECT * FROM settlement_transaction
      WHERE network = ${network} AND signer = ${signer} AND nonce IN (SELECT nonce FROM open) AND ${mayBeInBlock}
    )
    SELECT ${columns} FROM followed
    WHERE hash NOT IN (SELECT jsonb_array_elements_text(${JSON.stringify(known)}::jsonb))
    ORDER BY nonce, created_at LIMIT 100`;
  return Promise.all(rows.map((row) => toOpen(app, network, signer, row)));
}

/** The signers with transactions that are not known to be in a block. */
export async function signersOfOpen(app: WithDatabase, network: NetworkName): Promise<string[]> {
  const rows = await app.db.$queryRaw<{ signer: string }[]>`
    SELECT DISTINCT signer FROM settlement_transaction
    WHERE network = ${network} AND signer IS NOT NULL AND state IN ${Prisma.raw(listed(openSettlementStates))}`;
  return rows.map(({ signer }) => signer);
}

/**
 * The transactions of a signer with this nonce, while none of them is final and at least one is followed: it is not known to be in
 * a block, or is in one.
 */
export async function withNonce(
  app: WithDatabase & Pick<Platform, 'log' | 'keys' | 'problems'>,
  network: NetworkName,
  signer: string,
  nonce: bigint,
): Promise<OpenTransaction[]> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT ${columns} FROM settlement_transaction
    WHERE network = ${network} AND signer = ${signer} AND nonce = ${nonce}
      AND (${mayBeInBlock} OR state IN ${Prisma.raw(listed(openSettlementStates))})
    ORDER BY created_at`;
  if (rows.every((row) => rowSchema.parse(row).state === 'replaced')) return [];
  return Promise.all(rows.map((row) => toOpen(app, network, signer, row)));
}

async function toOpen(
  app: WithDatabase & Pick<Platform, 'log' | 'keys' | 'problems'>,
  network: NetworkName,
  signer: string,
  raw: unknown,
): Promise<OpenTransaction> {
  const row = rowSchema.parse(raw);
  return {
    network,
    signer,
    nonce: row.nonce,
    hash: row.hash,
    raw: new Uint8Array(row.raw),
    charges: await carriedCharges(app, row.id),
    preparedAt: row.created_at,
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
 * Whether a live process is following that transaction: its signer is leased, and every transaction still open for its nonce
 * was sent or reorganized recently.
 */
export async function isFollowed(
  app: WithDatabase & Pick<Platform, 'timings'>,
  paidCallId: string,
  now: Date,
): Promise<boolean> {
  const since = new Date(now.getTime() - app.timings.evm.replaceAlwaysMs);
  const isOpen = (name: string) => Prisma.raw(`${name}.state IN ${listed(openSettlementStates)}`);
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT 1 AS found FROM paid_call
      JOIN settlement_transaction carrier ON carrier.id = paid_call.settlement_id
      JOIN settlement_signer lease ON lease.network = carrier.network AND lease.signer = carrier.signer
      JOIN instance ON instance.id = lease.holder
    WHERE paid_call.id = ${paidCallId} AND ${isOpen('carrier')} AND alive_until > now()
      AND NOT EXISTS (SELECT FROM settlement_transaction variant
        WHERE variant.network = carrier.network AND variant.signer = carrier.signer AND variant.nonce = carrier.nonce
          AND ${isOpen('variant')} AND GREATEST(variant.created_at, variant.reorganized_at) <= ${since})`;
  return rows.length > 0;
}

/**
 * Ends transactions that can never be mined: another one used their nonce, or their blockhash has expired. A call that recovery
 * had found paid by one of them, in a block that is gone, is `unknown` again.
 */
export async function dropTransactions(
  app: WithDatabase & Pick<Platform, 'clock'>,
  network: NetworkName,
  hashes: readonly string[],
): Promise<void> {
  const at = app.clock.date();
  const { set, isLegal } = settlementMoves.move('dropped', { at });
  const undone = callMoves.move('undone', { at, move_note: reorganized, attempt_at: at });
  await withLockedRows(
    app,
    { network, hashes },
    (db) => db.$executeRaw`
      WITH dropped AS (
        UPDATE settlement_transaction SET ${set}
        WHERE network = ${network} AND ${isLegal} AND hash = ANY(${hashes})
        RETURNING id
      )
      UPDATE paid_call SET ${undone.set} FROM dropped WHERE settlement_id = dropped.id AND ${undone.isLegal}`,
  );
}
