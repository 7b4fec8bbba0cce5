import { alternativesOf, mapValuesOf, objectsIn, type Schema } from './schema';
import { formatWords, ruleWords, typeWords, valuesOf } from './type-words';

/** A field of a request or a response, as the reference explains it. */
export interface Field {
  readonly name: string;
  /** With the fields around it: `questions.label`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly format: string | null;
  readonly rules: readonly string[];
  /** The values that it can have; empty if it can have any. */
  readonly values: readonly string[];
  /** JSON; null if there is none. */
  readonly example: string | null;
  /** The fields within it. */
  readonly fields: readonly Field[];
}

/**
 * The fields of a schema, in order.
 * @param example a value of the schema, for fields that have no example of their own
 */
export function fieldsOf(schema: Schema, example?: unknown, prefix = ''): Field[] {
  const known = new Map<string, Field>();
  for (const object of objectsIn(schema)) {
    for (const [name, field] of Object.entries(object.properties ?? {})) {
      if (known.has(name)) continue;
      const isRequired = object.required?.includes(name) ?? false;
      known.set(name, fieldOf(name, field, isRequired, valueIn(example, name), prefix));
    }
  }
  return [...known.values()];
}

function fieldOf(name: string, schema: Schema, isRequired: boolean, value: unknown, prefix: string): Field {
  const path = prefix + name;
  const fields = fieldsOf(schema, innerExample(schema, value), `${path}.`);
  const [own = value] = schema.examples ?? [];
  const values = valuesOf(schema);
  return {
    name,
    path,
    type: typeWords(schema),
    isRequired,
    description: descriptionOf(schema),
    format: formatWords(schema),
    rules: ruleWords(schema),
    values,
    // The values and the inner fields are examples themselves.
    example: values.length > 0 || fields.length > 0 || own === undefined ? null : exampleText(own),
    fields,
  };
}

/** The description may be on the only alternative other than null. */
function descriptionOf(schema: Schema): string {
  const [said] = [schema, ...alternativesOf(schema)].flatMap(({ description }) => description ?? []);
  return said ?? '';
}

/** Longer examples are cut, because the whole one stands beside the fields. */
const exampleLengthMax = 56;

function exampleText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > exampleLengthMax ? `${text.slice(0, exampleLengthMax - 1)}…` : text;
}

function valueIn(example: unknown, name: string): unknown {
  return isObject(example) ? example[name] : undefined;
}

/** The value from which the inner fields take their examples: the first entry of a list or a map. */
function innerExample(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) return value[0];
  const isMap = alternativesOf(schema).some(mapValuesOf);
  return isMap && isObject(value) ? Object.values(value)[0] : value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
