import type pg from 'pg';

type Querying = Pick<pg.ClientBase | pg.Pool, 'query'>;

/** The fields of a refund that a test sets. The others follow from its call. */
export interface RefundChanges {
  readonly id?: string;
  readonly round?: number;
  readonly method?: 'wallet' | 'transfer' | 'account';
  readonly state?: string;
  readonly network?: string;
  readonly asset?: string;
  readonly recipient?: string;
  readonly amount?: number;
  readonly reason?: string;
}

/** Makes the payment of a call on a chain final. */
export async function finalize(db: Querying, callId: string): Promise<void> {
  await db.query(
    `WITH final AS (
       INSERT INTO settlement_transaction (id, network, hash, payments, state, block_number, created_at, final_at)
       SELECT 'st ' || id, network, 'hash of ' || id, 1, 'confirmed', 7, now(), now() FROM paid_call WHERE id = $1
       RETURNING id
     )
     UPDATE paid_call SET settlement_id = final.id FROM final WHERE paid_call.id = $1`,
    [callId],
  );
}

/** Begins a refund of a call. @returns its id */
export async function insertRefund(
  db: Querying,
  callId: string,
  changes: RefundChanges = {},
): Promise<string> {
  const { id = `rf ${callId}`, round = 0, method = 'transfer', state = 'requested' } = changes;
  const { network, asset, recipient, amount, reason = 'other' } = changes;
  await db.query(
    `INSERT INTO refund (id, paid_call_id, round, method, state, network, asset, recipient, amount_atomic, reason, check_at,
       requested_at, moved_at)
     SELECT $2, id, $3, $4::refund_method, $5::refund_state, COALESCE($6, network), COALESCE($7, asset),
       COALESCE($8, payer), COALESCE($9, amount_atomic), $10, now(), now(), '2026-01-02'
     FROM paid_call WHERE id = $1`,
    [callId, id, round, method, state, network, asset, recipient, amount, reason],
  );
  return id;
}

/** Moves a refund, with everything that its new state requires. */
export async function moveRefund(
  db: Querying,
  id: string,
  to: string,
  { hash = `hash of ${id}`, index = 0 }: { hash?: string; index?: number } = {},
): Promise<void> {
  await db.query(
    `UPDATE refund SET state = $2::refund_state, moved_at = moved_at + interval '1 second',
       transaction_hash = CASE WHEN method <> 'account' AND $2 IN ('sent', 'confirmed') THEN $3 ELSE transaction_hash END,
       transfer_index = CASE WHEN method <> 'account' AND $2 = 'confirmed' THEN $4::int ELSE transfer_index END,
       block_number = CASE WHEN method <> 'account' AND $2 = 'confirmed' THEN 8 ELSE block_number END
     WHERE id = $1`,
    [id, to, hash, index],
  );
}

/** Refunds a call by a transfer, from the request to the end. */
export async function refund(db: Querying, callId: string, changes?: RefundChanges): Promise<void> {
  const id = await insertRefund(db, callId, changes);
  await moveRefund(db, id, 'sent');
  await moveRefund(db, id, 'confirmed');
}
