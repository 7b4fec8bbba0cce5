import { formatUnits } from 'viem';
import { z } from 'zod';
import { coinOf, usdcDecimals } from '@/lib/payments/money';
import type { WithDatabase } from '@/lib/platform/database/database';

const rowSchema = z.object({
  id: z.coerce.string(),
  at: z.date(),
  kind: z.string(),
  debit_account: z.string(),
  credit_account: z.string(),
  amount_atomic: z.coerce.bigint(),
  unit: z.string(),
  network: z.string().nullable(),
  operation: z.string().nullable(),
  rail: z.string().nullable(),
  payer: z.string().nullable(),
  paid_call_id: z.string().nullable(),
  settlement_id: z.string().nullable(),
  transaction_hash: z.string().nullable(),
  refund_id: z.string().nullable(),
});

/** One double entry of the ledger, for bookkeeping. Every field is text; empty where it does not apply. */
export interface ExportedPosting {
  readonly posting_id: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  /**
   * settled, delivered, kept, refunded, gas, gas_in_vain; claimed, swept or written_off for payment channels; or one of them with
   * `_reversed`.
   */
  readonly kind: string;
  readonly debit_account: string;
  readonly credit_account: string;
  /** Decimal, in the currency. Always positive: it leaves the credited account and enters the debited one. */
  readonly amount: string;
  /** USDC, or the coin that pays for gas: ETH, POL or SOL. */
  readonly currency: string;
  readonly amount_atomic: string;
  /** What `amount_atomic` counts: usdc (millionths), wei or lamport. */
  readonly unit: string;
  readonly network: string;
  readonly operation: string;
  readonly rail: string;
  readonly payer: string;
  readonly paid_call_id: string;
  readonly settlement_id: string;
  /** The transaction of the settlement; for a refund, that of the refund. */
  readonly transaction: string;
  readonly refund_id: string;
}

/** The columns, in the order of the file. */
export const exportColumns = [
  'posting_id',
  'time',
  'kind',
  'debit_account',
  'credit_account',
  'amount',
  'currency',
  'amount_atomic',
  'unit',
  'network',
  'operation',
  'rail',
  'payer',
  'paid_call_id',
  'settlement_id',
  'transaction',
  'refund_id',
] as const satisfies readonly (keyof ExportedPosting)[];

const pageRows = 1_000;

/** A `refunded` posting belongs to the confirmed refund of its call. */
const selectPostings = `
  SELECT posting.id, posting.at, posting.kind, debit_account, credit_account, posting.amount_atomic, unit,
    COALESCE(paid_call.network, settlement.network) AS network, operation, rail, paid_call.payer, posting.paid_call_id,
    COALESCE(posting.settlement_id, paid_call.settlement_id) AS settlement_id,
    CASE WHEN posting.kind = 'refunded' THEN refund.transaction_hash
      ELSE COALESCE(settlement.hash, paid_call.transaction_hash) END AS transaction_hash,
    refund.id AS refund_id
  FROM posting
  LEFT JOIN paid_call ON paid_call.id = posting.paid_call_id
  LEFT JOIN settlement_transaction settlement ON settlement.id = posting.settlement_id
  LEFT JOIN refund ON posting.kind = 'refunded' AND refund.paid_call_id = posting.paid_call_id AND refund.state = 'confirmed'
  WHERE posting.at >= $1 AND posting.at < $2
  ORDER BY posting.id`;

/**
 * The postings of a time span, from one snapshot of the ledger, in the order in which they were made. They are read in pages,
 * so that memory does not grow with their number.
 * @param from the first moment, and `to` the first one that is left out
 */
export async function* exportPostings(
  { pool }: Pick<WithDatabase, 'pool'>,
  { from, to }: { readonly from: Date; readonly to: Date },
): AsyncGenerator<ExportedPosting> {
  const client = await pool.connect();
  let isWhole = false;
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // By default PostgreSQL plans a cursor for its first rows only; all of them are read here.
    await client.query('SET LOCAL cursor_tuple_fraction = 1');
    await client.query(`DECLARE exported NO SCROLL CURSOR FOR ${selectPostings}`, [from, to]);
    for (;;) {
      const { rows } = await client.query(`FETCH ${pageRows} FROM exported`);
      for (const row of rows) yield exported(rowSchema.parse(row));
      if (rows.length < pageRows) break;
    }
    await client.query('COMMIT');
    isWhole = true;
  } finally {
    // After a failure, or when the reader stopped, the connection is in the middle of a transaction.
    client.release(!isWhole);
  }
}

function exported(row: z.output<typeof rowSchema>): ExportedPosting {
  const isUsdc = row.unit === 'usdc';
  const coin = coinOf(row.network ?? '');
  return {
    posting_id: row.id,
    time: row.at.toISOString(),
    kind: row.kind,
    debit_account: row.debit_account,
    credit_account: row.credit_account,
    amount: formatUnits(row.amount_atomic, isUsdc ? usdcDecimals : coin.decimals),
    currency: isUsdc ? 'USDC' : coin.symbol,
    amount_atomic: row.amount_atomic.toString(),
    unit: row.unit,
    network: row.network ?? '',
    operation: row.operation ?? '',
    rail: row.rail ?? '',
    payer: row.payer ?? '',
    paid_call_id: row.paid_call_id ?? '',
    settlement_id: row.settlement_id ?? '',
    transaction: row.transaction_hash ?? '',
    refund_id: row.refund_id ?? '',
  };
}
