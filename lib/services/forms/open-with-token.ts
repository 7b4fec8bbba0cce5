import { ApiError } from '@/lib/catalog/errors/api-error';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { findForm, isReadable, type ReadableForm } from './form';
import { isReadToken } from './read-token';

/**
 * The form that a read token opens.
 * @param readToken from `Authorization: Bearer`; null without one
 * @throws ApiError read_token_required (401), form_not_found (404), read_token_wrong (403), form_gone or
 *   form_taken_down (410)
 */
export async function openWithToken(
  app: Pick<WithDatabase, 'db'> & Pick<Platform, 'clock'>,
  formId: string,
  readToken: string | null,
): Promise<ReadableForm> {
  if (readToken === null) throw new ApiError('read_token_required');
  const form = await findForm(app, formId);
  if (!form) throw new ApiError('form_not_found');
  if (!isReadToken(readToken, form.readTokenHash)) throw new ApiError('read_token_wrong');
  if (form.takenDownAt !== null) throw new ApiError('form_taken_down');
  if (!isReadable(form, app.clock.date())) throw new ApiError('form_gone');
  return form;
}
