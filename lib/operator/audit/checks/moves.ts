import { legalMoves, openStates } from '@/lib/ledger/states';
import type { Check } from '../audit-session';

const legal = JSON.stringify(
  Object.entries(legalMoves).flatMap(([from_state, tos]) =>
    tos.map((to_state) => ({ from_state, to_state })),
  ),
);

/** A client has a day to retry a call that only its retry may finish. */
const openHoursMax = 25;

/** The recorded moves are legal, lead from nothing to the state of the call, and reach an end within a day. */
export const moveChecks: readonly Check[] = [
  {
    sql: `WITH legal AS (
        SELECT from_state, to_state FROM json_to_recordset($1::json) AS legal(from_state text, to_state text)
        -- What was prepared before the charge is recorded as a step of its own.
        UNION ALL VALUES ('nothing', 'claimed'), ('claimed', 'prepared'), ('prepared', 'settling'), ('prepared', 'refused')
      ), step AS (
        SELECT paid_call_id, id, from_state, to_state,
          lag(to_state) OVER (PARTITION BY paid_call_id ORDER BY id) AS came_to
        FROM paid_call_move
      )
      SELECT DISTINCT ON (paid_call_id) 'every move is legal' AS promise,
        paid_call_id || ': ' || COALESCE(from_state::text, 'nothing') || ' to ' || to_state AS about
      FROM step
      WHERE from_state IS DISTINCT FROM came_to
        OR (COALESCE(came_to::text, 'nothing'), to_state::text) NOT IN (SELECT from_state, to_state FROM legal)
      ORDER BY paid_call_id, id`,
    values: [legal],
  },
  {
    sql: `SELECT 'the moves lead to the state' AS promise, call.id || ': ' || call.state AS about
      FROM paid_call call LEFT JOIN (
        SELECT DISTINCT ON (paid_call_id) paid_call_id, to_state FROM paid_call_move ORDER BY paid_call_id, id DESC
      ) last ON last.paid_call_id = call.id
      WHERE last.to_state::text IS DISTINCT FROM call.state::text`,
  },
  {
    sql: `SELECT 'a call comes to an end within a day' AS promise,
        id || ': ' || state || ' for ' || floor(extract(epoch FROM now() - moved_at) / 3600) || ' hours' AS about
      FROM paid_call WHERE state::text = ANY($1) AND moved_at < now() - make_interval(hours => $2::int)`,
    values: [openStates, openHoursMax + 1],
  },
];
