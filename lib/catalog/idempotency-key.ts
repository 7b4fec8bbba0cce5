import { z } from 'zod';

/** The caller's own key for a call. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/)
  .describe(
    'One key for each thing you buy, the same key on every retry: 1 to 255 visible ASCII characters that nobody can guess. A retry with it gets the stored response.',
  );
