import { unmatchedTransfer } from '@/lib/ledger/states';
import type { WithDatabase } from '@/lib/platform/database/database';

/** Figures of single calls: how long they took, and why payments were refused. */

/** How long the newest calls of an operation took, from the accepted payment to the stored answer. */
export interface CallLatency {
  readonly operation: string;
  readonly calls: number;
  readonly medianMs: number;
  /** The 95th percentile: only one call in twenty took longer. */
  readonly slowMs: number;
}

/** How many of the newest calls are considered. */
export const latencyCalls = 2_000;

export async function readLatency(app: Pick<WithDatabase, 'db'>): Promise<CallLatency[]> {
  return app.db.$queryRaw<CallLatency[]>`
    SELECT operation, count(*)::int AS calls,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::float8 AS "medianMs",
      percentile_cont(0.95) WITHIN GROUP (ORDER BY ms)::float8 AS "slowMs"
    FROM (
      SELECT call.operation, extract(epoch FROM delivered.at - newest.at) * 1000 AS ms
      FROM (SELECT paid_call_id, at FROM paid_call_move WHERE from_state IS NULL
        ORDER BY at DESC, paid_call_id DESC LIMIT ${latencyCalls}) AS newest
      JOIN paid_call call ON call.id = newest.paid_call_id
      CROSS JOIN LATERAL (SELECT min(move.at) AS at FROM paid_call_move move
        WHERE move.paid_call_id = newest.paid_call_id AND move.to_state IN ('delivered', 'kept')) AS delivered
      -- How long an operator took to decide about a booked transfer says nothing.
      WHERE delivered.at IS NOT NULL AND call.operation <> ${unmatchedTransfer}
    ) AS timed GROUP BY operation ORDER BY calls DESC, operation`;
}

/** Refused payments of one day by reason. */
export interface DayRefusals {
  /** `2026-11-22` */
  readonly day: string;
  readonly reason: string;
  readonly count: number;
}

/** How many of the newest refused calls are considered. */
const refusedCalls = 20_000;

/** Calls created since a moment that are refused now, by day of creation. Only the most recent ones, if there are very many. */
export async function readRefusals(app: Pick<WithDatabase, 'db'>, from: Date): Promise<DayRefusals[]> {
  return app.db.$queryRaw<DayRefusals[]>`
    SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, COALESCE(refusal_reason, 'unknown') AS reason,
      count(*)::int AS count
    FROM (SELECT created_at, refusal_reason FROM paid_call WHERE state = 'refused' AND created_at >= ${from}
      ORDER BY state DESC, created_at DESC, id DESC LIMIT ${refusedCalls}) AS refused
    GROUP BY 1, 2`;
}
