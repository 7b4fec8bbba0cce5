import { z } from 'zod';
import { isJsonObject } from './json';

/**
 * A value without the optional fields that are null, or empty texts where an empty text cannot be meant: many clients send
 * these for fields that they leave out. The depth is that of the schema, however deep the value is.
 */
export function withoutEmptyFields(schema: z.core.$ZodType, value: unknown): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray) return Array.isArray(value) ? inEach(inner, value) : value;
  if (inner instanceof z.ZodUnion) return inOneOf(inner.options, value);
  if (!(inner instanceof z.ZodObject) || !isJsonObject(value)) return value;
  const { shape } = inner;
  const entries = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const of = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!of) return [[name, field]];
    return isLeftOut(of, field) ? [] : [[name, withoutEmptyFields(of, field)]];
  });
  return Object.fromEntries(entries);
}

function isLeftOut(schema: z.ZodType, value: unknown): boolean {
  if (value !== null && value !== '') return false;
  return schema.safeParse(undefined).success && !schema.safeParse(value).success;
}

function inEach({ element }: z.ZodArray, values: readonly unknown[]): unknown[] {
  return values.map((value) => withoutEmptyFields(element, value));
}

/** The first option that accepts the value without its empty fields; the value itself if there is none. */
function inOneOf(options: readonly z.core.$ZodType[], value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const option of options) {
    const kept = withoutEmptyFields(option, value);
    if (z.safeParse(option, kept).success) return kept;
  }
  return value;
}

/** The schema under wrappers that do not change what callers send. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodReadonly
  )
    return unwrap(schema.unwrap());
  return schema instanceof z.ZodPipe && !(schema.in instanceof z.ZodTransform) ? unwrap(schema.in) : schema;
}
