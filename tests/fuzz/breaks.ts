import fc from 'fast-check';
import { allowedBy, type Json, type Schema, typesAllowedBy, typesOf } from './schema';

/** A value with one rule of its schema broken. */
export interface Break {
  /** Names of fields and numbers of items, from the outside. */
  readonly path: readonly string[];
  readonly what: string;
  readonly value: Json;
}

/** One value of every JSON type. Where a type is allowed, such a value is not wrong because of its type. */
const oneOfEach: readonly Json[] = [null, true, 7.5, 'text', [], {}];

/** Breaks every rule of a schema once, in a value that the schema allows. Optional fields are broken too. */
export function breaksOf(schema: Schema, value: Json): Break[] {
  return [...breaks(schema, value, [])];
}

/** Whether an error names the wrong field or a field around it. @param whole the name for the input as a whole */
export function isNamedIn(
  { path }: Break,
  issues: readonly { readonly path: string }[],
  whole = 'body',
): boolean {
  const wrong = path.join('.') || whole;
  return issues.some((issue) => issue.path === wrong || wrong.startsWith(`${issue.path}.`));
}

function* breaks(schema: Schema, value: Json, path: readonly string[]): Generator<Break> {
  const allowed = typesAllowedBy(schema);
  if (allowed.length > 0)
    for (const other of oneOfEach) {
      const isAllowed = typesOf(other).some((type) => allowed.includes(type));
      if (!isAllowed) yield { path, what: `${typesOf(other)[0]} for ${allowed[0]}`, value: other };
    }
  if (schema.const !== undefined || schema.enum)
    yield { path, what: 'none of the values', value: 'none-of-them' };
  if (schema.anyOf) {
    const fitting = schema.anyOf.find(({ type }) => type === 'object');
    const inside = fitting ? [...breaks(fitting, sampleOf(fitting), path)] : [];
    yield* inside.filter((part) => part.path.length > path.length);
  } else if (typeof value === 'string') yield* textBreaks(schema, value, path);
  else if (typeof value === 'number') yield* numberBreaks(schema, path);
  else if (Array.isArray(value)) yield* listBreaks(schema, value, path);
  else if (schema.properties && value !== null && typeof value === 'object' && !Array.isArray(value))
    yield* objectBreaks(schema, value as Readonly<Record<string, Json>>, path);
}

function sampleOf(schema: Schema): Json {
  return fc.sample(allowedBy(schema), { numRuns: 1, seed: 1 })[0] ?? null;
}

function* textBreaks(schema: Schema, value: string, path: readonly string[]): Generator<Break> {
  const { minLength = 0, maxLength, pattern, format } = schema;
  if (minLength > 0) yield { path, what: 'too short', value: value.slice(0, minLength - 1) };
  if (maxLength !== undefined && maxLength < 10_000)
    yield { path, what: 'too long', value: value.padEnd(maxLength + 1, 'a') };
  for (const other of [`${value}\n`, `\0${value}`, `${value}\ud800`])
    if (pattern !== undefined && !new RegExp(pattern, 'u').test(other))
      yield { path, what: 'not in the pattern', value: other };
  if (format !== undefined && format !== 'email')
    yield { path, what: `no ${format}`, value: 'not in this format' };
}

function* numberBreaks(schema: Schema, path: readonly string[]): Generator<Break> {
  const { minimum, maximum, exclusiveMinimum, type } = schema;
  if (minimum !== undefined) yield { path, what: 'too small', value: minimum - 1 };
  if (exclusiveMinimum !== undefined) yield { path, what: 'too small', value: exclusiveMinimum };
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    yield { path, what: 'too large', value: maximum + 1 };
  if (type === 'integer') yield { path, what: 'a fraction', value: (minimum ?? 0) + 0.5 };
}

function* listBreaks(schema: Schema, value: readonly Json[], path: readonly string[]): Generator<Break> {
  const { items = {}, minItems = 0, maxItems, uniqueItems } = schema;
  const item = value[0] ?? sampleOf(items);
  if (maxItems !== undefined && maxItems < 1_000)
    yield { path, what: 'too many items', value: Array<Json>(maxItems + 1).fill(item) };
  if (minItems > 0) yield { path, what: 'too few items', value: value.slice(0, minItems - 1) };
  if (uniqueItems) yield { path, what: 'twice the same item', value: [item, item] };
  for (const part of breaks(items, item, [...path, '0']))
    yield { ...part, value: [part.value, ...value.slice(1)] };
}

function* objectBreaks(
  { properties = {}, required = [], additionalProperties }: Schema,
  value: Readonly<Record<string, Json>>,
  path: readonly string[],
): Generator<Break> {
  if (additionalProperties === false)
    yield { path: [...path, 'unheardOf'], what: 'an unknown field', value: { ...value, unheardOf: 1 } };
  for (const name of required) {
    const { [name]: _left, ...others } = value;
    yield { path: [...path, name], what: 'left out', value: others };
  }
  for (const [name, field] of Object.entries(properties)) {
    const own = value[name] ?? sampleOf(field);
    for (const part of breaks(field, own, [...path, name])) {
      if (!required.includes(name) && part.path.length === path.length + 1 && isEmpty(part.value)) continue;
      yield { ...part, value: { ...value, [name]: part.value } };
    }
  }
}

/** An optional field with such a value is the same as left out. */
function isEmpty(value: Json): boolean {
  return value === null || value === '';
}
