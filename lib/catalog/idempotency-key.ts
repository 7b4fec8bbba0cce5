import { z } from 'zod';

/** The caller's own key for a call. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/)
  .describe(
    'One key for each thing you buy, the same key on every retry: a value of your own that nobody can guess, 1 to 255 visible ASCII characters. The identical request with the same key gets the stored response and is not charged again.',
  );
