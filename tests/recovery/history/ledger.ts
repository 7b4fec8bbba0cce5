import type { QueryResultRow } from 'pg';
import type { Rig } from '../rig/rig';

/** A paid call in the ledger, with its related rows. */
export interface LedgerCall extends QueryResultRow {
  readonly id: string;
  readonly state: string;
  readonly network: string;
  readonly operation: string;
  /** For a call that is paid from an account, the digest of its Idempotency-Key. */
  readonly authorization: string;
  readonly amount_atomic: string;
  readonly transaction_hash: string | null;
  readonly created_at: Date;
  /** States in the order in which they were reached; `lost` is `unknown` after its payment had been counted on. */
  readonly moves: readonly string[];
  /** When each of them was reached. */
  readonly moved_at: readonly Date[];
  readonly postings: readonly string[];
  /** Ids of the uploads and forms that it created, and of the uploads that it renewed or deleted. */
  readonly effects: readonly string[];
}

/**
 * Identifies a payment the way its client does. A payment from an account has no authorization made by the client. The digest
 * of its Idempotency-Key is kept for as long as the call may count as paid.
 */
export const authorizationInLedger = `CASE WHEN paid_call.network = 'account'
  THEN COALESCE(encode(paid_call.idempotency_key_hash, 'hex'), paid_call.id) ELSE paid_call."authorization" END`;

/** @param losses the notes of moves by which a payment may be lost after it was counted on */
export function readLedger(rig: Pick<Rig, 'query'>, losses: readonly string[]): Promise<LedgerCall[]> {
  return rig.query<LedgerCall>(
    `
    SELECT id, state::text, CASE WHEN channel_id IS NULL THEN network ELSE 'channel' END AS network, operation, amount_atomic::text, transaction_hash, created_at,
      ${authorizationInLedger} AS "authorization",
      ARRAY(SELECT CASE WHEN note = ANY ($1) THEN 'lost' ELSE to_state::text END FROM paid_call_move
        WHERE paid_call_id = paid_call.id ORDER BY id) AS moves,
      ARRAY(SELECT at FROM paid_call_move WHERE paid_call_id = paid_call.id ORDER BY id) AS moved_at,
      ARRAY(SELECT kind FROM posting WHERE paid_call_id = paid_call.id ORDER BY id) AS postings,
      ARRAY(SELECT id FROM upload WHERE paid_call_id = paid_call.id
        UNION ALL SELECT upload_id FROM upload_renewal WHERE paid_call_id = paid_call.id
        UNION ALL SELECT id FROM upload WHERE deleted_by = paid_call.id
        UNION ALL SELECT id FROM form WHERE paid_call_id = paid_call.id) AS effects
    FROM paid_call`,
    [losses],
  );
}

/** The hashes of the settlements that a reorganization removed at least once. */
export async function readRemoved(rig: Pick<Rig, 'query'>): Promise<ReadonlySet<string>> {
  const sql = 'SELECT hash FROM settlement_transaction WHERE reorganizations > 0';
  return new Set((await rig.query<{ hash: string }>(sql)).map(({ hash }) => hash));
}

/** Calls that are neither finished nor on a worklist. */
export function openCalls(rig: Pick<Rig, 'query'>): Promise<{ id: string; state: string }[]> {
  return rig.query(
    "SELECT id, state::text FROM paid_call WHERE state NOT IN ('delivered', 'refused', 'kept', 'refunded')",
  );
}

/** The rows that may never change, by table and id, as they are now. */
export type Fixed = ReadonlyMap<string, string>;

export async function readFixed(rig: Pick<Rig, 'query'>): Promise<Fixed> {
  const rows = await rig.query<{ key: string; digest: string }>(`
    SELECT 'posting ' || id AS key, md5(posting::text) AS digest FROM posting
    UNION ALL SELECT 'move ' || id, md5(paid_call_move::text) FROM paid_call_move`);
  return new Map(rows.map(({ key, digest }) => [key, digest]));
}
