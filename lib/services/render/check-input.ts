import type { pdf } from '@/lib/catalog/render';
import { ApiError } from '@/lib/errors/api-error';
import type { InputCheck } from '@/lib/services/service';
import { findForbidden } from './forbidden-html';

/** Refuses a document with anything in it that could run script or load from outside. */
export const checkHtmlInput: InputCheck<typeof pdf> = async ({ html }) => {
  const issues = await findForbidden(html);
  if (issues.length > 0) throw new ApiError('invalid_input', { reason: 'forbidden_html', issues });
};
