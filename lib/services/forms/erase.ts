import { forgetAttempts } from '@/lib/platform/database/attempts';
import type { WithDatabase } from '@/lib/platform/database/database';
import { lastRestorable } from '@/lib/services/abuse-reports';

/**
 * Erases the answers and content of forms that can no longer be read or restored, at most `limit` at a time, and
 * returns their number. The row stays, so that the link can say that the form is over. Safe to run concurrently and to
 * kill at any point.
 */
export async function eraseForms(app: Pick<WithDatabase, 'db'>, now: Date, limit = 200): Promise<number> {
  // One statement: a response that is being stored waits for the form's row, then finds the form erased. Arrays,
  // because with joins PostgreSQL's planner expects so many rows that it reads all forms and all responses.
  const erased = await app.db.$queryRaw<unknown[]>`
    WITH over AS (
      SELECT id FROM form WHERE readable_until <= ${now} AND erased_at IS NULL
      ORDER BY readable_until LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), removed AS (
      SELECT id FROM form WHERE taken_down_at <= ${lastRestorable(now)} AND erased_at IS NULL
      ORDER BY taken_down_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), emptied AS (
      DELETE FROM form_response WHERE form_id = ANY (ARRAY(SELECT id FROM over UNION SELECT id FROM removed))
    )
    UPDATE form SET erased_at = ${now}, content = NULL
    WHERE id = ANY (ARRAY(SELECT id FROM over UNION SELECT id FROM removed))
    RETURNING id`;
  await forgetAttempts(app, now);
  return erased.length;
}
