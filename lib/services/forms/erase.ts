import { forgetAttempts } from '@/lib/db/attempts';
import type { FormsApp } from '@/lib/services/forms/app';

/**
 * Erases the answers and the content of forms that nobody may read any more, at most `limit` at a time, and returns how
 * many it erased. The row stays, so that the link can say that the form is over. May run twice at once and be killed
 * anywhere: each form is erased whole or found again.
 */
export async function eraseForms(app: FormsApp, now: Date, limit = 200): Promise<number> {
  // One statement: a response that is being stored meanwhile waits at the form's row and finds it erased.
  const erased = await app.db.$queryRaw<unknown[]>`
    WITH over AS (
      SELECT id FROM form WHERE readable_until <= ${now} AND erased_at IS NULL
      ORDER BY readable_until LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), emptied AS (
      DELETE FROM form_response USING over WHERE form_id = over.id
    )
    UPDATE form SET erased_at = ${now}, content = NULL FROM over WHERE form.id = over.id
    RETURNING form.id`;
  await forgetAttempts(app, now);
  return erased.length;
}
