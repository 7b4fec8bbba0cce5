import { z } from 'zod';
import { payerAddress } from '../calls/filters';
import type { DataSubject } from '../moderation/erase-data';
import { UsageError } from './command';

/**
 * Parses the options of a command.
 * @throws UsageError that names the first option that is not valid
 */
export function parseOptions<Schema extends z.ZodType>(schema: Schema, options: unknown): z.output<Schema> {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`--${issue?.path.join('.')}: ${issue?.message}.`);
}

/** How many items a command prints at most. */
export const limitUpTo = (max: number) => {
  const rule = `must be a whole number from 1 to ${max}`;
  return z.coerce.number(rule).int(rule).min(1, rule).max(max, rule);
};

/** Why an operator does something, for the log of actions. */
export const noteUpTo = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max.toLocaleString('en-US')} characters`);
export const noteSchema = noteUpTo(500);

/** A value for `JSON.stringify`: integers of any size become text, and times ISO 8601 in UTC. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner));
}

/** The options that say whose data a command is about. */
export const subjectOptions = {
  wallet: payerAddress.optional(),
  form: z
    .string()
    .regex(/^fm_[0-9A-Za-z]{1,61}$/, 'must be the ID of a form')
    .optional(),
};

/** @param options one of the two */
export function subjectOf({
  wallet,
  form,
}: {
  readonly wallet?: string;
  readonly form?: string;
}): DataSubject {
  return wallet === undefined ? { kind: 'form', id: form ?? '' } : { kind: 'wallet', id: wallet };
}
