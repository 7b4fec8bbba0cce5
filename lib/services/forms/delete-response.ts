import type { z } from 'zod';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { deleteResponse as deleteOperation } from '@/lib/catalog/form-responses';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { ReadableForm } from './form';

interface DeleteDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock'> {}

/**
 * Erases everything that a person sent in one response. Its ID and number stay, so that readers learn of the deletion, and
 * the nonce of its page, so that the page cannot be sent again. Deleting it again changes nothing.
 * @throws ApiError response_not_found (404)
 */
export async function deleteResponse(
  app: DeleteDeps,
  form: ReadableForm,
  responseId: string,
): Promise<z.output<typeof deleteOperation.output>> {
  if (!/^fr_[0-9A-Za-z]{24}$/.test(responseId)) throw new ApiError('response_not_found');
  // The form's row first, as for everything that changes its responses.
  await app.db.$executeRaw`
    WITH locked AS (
      SELECT id FROM form WHERE id = ${form.id} AND erased_at IS NULL FOR UPDATE
    ), deleted AS (
      UPDATE form_response SET answers = NULL, recipient = NULL, submitted_at = NULL, deleted_at = ${app.clock.date()}
      WHERE id = ${responseId} AND form_id = (SELECT id FROM locked) AND deleted_at IS NULL
      RETURNING form_id
    )
    UPDATE form SET deleted_count = deleted_count + 1 WHERE id = (SELECT form_id FROM deleted)`;
  const response = await app.db.formResponse.findFirst({
    where: { id: responseId, formId: form.id },
    select: { deletedAt: true },
  });
  if (!response?.deletedAt) throw new ApiError('response_not_found');
  return { id: responseId, deletedAt: response.deletedAt.toISOString() };
}
