import type pg from 'pg';
import type { PaidCallState } from '@/lib/ledger/states';
import { newOrderedId } from '@/lib/platform/ids';

/** A paid call to insert, with the values that matter to a test. */
export interface CallRow {
  readonly id?: string;
  readonly operation?: string;
  readonly rail?: string;
  readonly network?: string;
  readonly payer?: string;
  readonly amountAtomic?: number;
  readonly createdAt?: Date;
  /** The states that it goes through, from `settling` on, a second apart. */
  readonly states?: readonly (PaidCallState | readonly [PaidCallState, note: string])[];
  /** The transaction that settles it. */
  readonly settlementId?: string;
  readonly transactionHash?: string;
}

/** Inserts a paid call into the ledger and moves it, without a chain. Database triggers write the postings. @returns its id */
export async function addCall(
  ledger: Pick<pg.Pool, 'query'>,
  { id = newOrderedId('pc', new Date()), ...row }: CallRow,
): Promise<string> {
  await insertCalls(ledger, [id], row);
  return id;
}

/** Inserts many of the same. */
export function addCalls(
  ledger: Pick<pg.Pool, 'query'>,
  count: number,
  row: Omit<CallRow, 'id'>,
): Promise<void> {
  const ids = Array.from({ length: count }, () => newOrderedId('pc', new Date()));
  return insertCalls(ledger, ids, row);
}

async function insertCalls(
  ledger: Pick<pg.Pool, 'query'>,
  ids: readonly string[],
  {
    operation = 'uploads.create',
    rail = 'x402',
    network = 'base',
    payer = `0x${'1'.repeat(40)}`,
    amountAtomic = 5_000,
    createdAt = new Date(),
    states = ['settled', 'delivered'],
    settlementId,
    transactionHash,
  }: Omit<CallRow, 'id'>,
): Promise<void> {
  await ledger.query(
    `INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
       request_hash, state, payment, valid_before, attempt_at, created_at, moved_at, settlement_id, transaction_hash)
     SELECT id, $2, $3, $4, 'USDC', $5, id, $6, 'us', 'request', 'settling', 'payment', $7, $7, $7, $7, $8, $9
     FROM unnest($1::text[]) AS id`,
    [ids, operation, rail, network, payer, amountAtomic, createdAt, settlementId, transactionHash],
  );
  for (const [index, step] of states.entries()) {
    const [state, note = null] = typeof step === 'string' ? [step] : step;
    await ledger.query(
      `UPDATE paid_call SET state = $2::paid_call_state, move_note = $3::text, moved_at = $4,
         refusal_reason = CASE WHEN $2::paid_call_state = 'refused' THEN $3::text END
       WHERE id = ANY ($1)`,
      [ids, state, note, new Date(createdAt.getTime() + 1_000 * (index + 1))],
    );
  }
}

/** Inserts a transaction of ours that is in a block. @returns its id */
export async function addSettlement(
  ledger: Pick<pg.Pool, 'query'>,
  { network = 'base', hash, at, feeAtomic }: { network?: string; hash: string; at: Date; feeAtomic: bigint },
): Promise<string> {
  const id = newOrderedId('st', at);
  await ledger.query(
    `INSERT INTO settlement_transaction (id, network, signer, nonce, hash, payments, state, created_at)
     VALUES ($1, $2, 'signer', 1, $3, 1, 'prepared', $4)`,
    [id, network, hash, at],
  );
  await ledger.query(
    `UPDATE settlement_transaction SET state = 'confirmed', confirmed_at = $2, fee_atomic = $3, fee_in_vain_atomic = 0,
       fee_unit = 'wei', block_number = 1 WHERE id = $1`,
    [id, at, feeAtomic.toString()],
  );
  return id;
}
