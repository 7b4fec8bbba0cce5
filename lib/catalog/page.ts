import { z } from 'zod';

/**
 * The query parameters of a list that is read in pages.
 * @param cursor matches the cursors of the list
 * @param sizes the number of entries on a page if the caller names none, and the most
 */
export function pageQuery(
  cursor: RegExp,
  example: string,
  { usual, max }: { readonly usual: number; readonly max: number },
) {
  return {
    cursor: z
      .string()
      .regex(cursor, { error: 'must be the nextCursor of an earlier response' })
      .optional()
      .meta({ description: 'nextCursor of the previous page.', examples: [example] }),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(max)
      .default(usual)
      .meta({ description: 'Number of rows on a page.', examples: [20] }),
  };
}

/** Where a page ends. */
export const nextCursor = z
  .string()
  .nullable()
  .describe('Cursor of the next, older page; null on the last page.');
