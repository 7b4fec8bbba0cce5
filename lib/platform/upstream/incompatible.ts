import { z } from 'zod';
import type { JsonObject } from './call-provider';

/** Whether a fixed path of a provider is no longer there, so that every call to it fails. */
export function isGone(status: number): boolean {
  return status === 404 || status === 405 || status === 410;
}

const described = z.object({ code: z.string() });
const texts = z.object({ error: z.string(), message: z.string() }).partial().catch({});
/** At the beginning of a message, or of a part of it. Further in, it could be the caller's own words. */
const unknownField = /(^|\|\s*)unrecognized key/i;

/**
 * Whether a provider refused a request because of a field that it does not know. We build the fields, so the caller is not the
 * cause.
 */
export function isUnknownField(json: JsonObject): boolean {
  const { error, message } = texts.parse(json);
  if ([error, message].some((text) => text !== undefined && unknownField.test(text))) return true;
  const listed = [json.details, json.issues, json.errors].find(Array.isArray) ?? [];
  return listed.some((one: unknown) => described.safeParse(one).data?.code === 'unrecognized_keys');
}
