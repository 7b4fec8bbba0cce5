import { isJsonObject } from '@/lib/platform/json';
import type { InputSchema } from './remote-tools';

type Schema = Readonly<Record<string, unknown>>;

/** Longer patterns say nothing to a model; the description has the rule in words. */
const patternLengthMax = 40;

/**
 * A tool's schema as the providers of large models accept it: every part has a type, and there is no `const`,
 * `exclusiveMinimum`, `propertyNames` or `anyOf`, and no `format` but `date-time`. The operation's own schema still checks the
 * arguments, and also takes the shorter form where there are two, such as `true`. Examples are left out, because an agent pays for every word of a tool.
 */
export function toolSchema(schema: InputSchema): Schema {
  return { ...simplified({ ...schema }), additionalProperties: false };
}

function simplified(schema: Schema): Schema {
  const { examples, title, propertyNames, const: constant, anyOf, format, pattern, ...rest } = schema;
  const { exclusiveMinimum, exclusiveMaximum, properties, items, additionalProperties, ...others } = rest;
  // No model sends an empty text for a field that has a meaning.
  const { uniqueItems, minLength, ...usual } = others;
  const plain = minLength === 1 ? usual : { ...usual, ...(minLength === undefined ? {} : { minLength }) };
  const option = Array.isArray(anyOf) ? richest(anyOf) : {};
  return {
    ...simplifiedParts({ ...option, ...plain }),
    ...typeOf({ ...schema, ...option }),
    ...(constant === undefined ? {} : { enum: [constant] }),
    ...(format === 'date-time' ? { format } : {}),
    ...(typeof pattern === 'string' && pattern.length <= patternLengthMax ? { pattern } : {}),
    ...bound('minimum', exclusiveMinimum, schema.type === 'integer' ? 1 : 0),
    ...bound('maximum', exclusiveMaximum, schema.type === 'integer' ? -1 : 0),
    ...simplifiedParts({ properties, items, additionalProperties }),
  };
}

/** The schemas inside a schema. */
function simplifiedParts({ properties, items, additionalProperties, ...others }: Schema): Schema {
  return {
    ...others,
    ...(isJsonObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [
              name,
              isJsonObject(one) ? simplified(one) : one,
            ]),
          ),
        }
      : {}),
    ...(isJsonObject(items) ? { items: simplified(items) } : {}),
    ...(isJsonObject(additionalProperties) ? { additionalProperties: simplified(additionalProperties) } : {}),
  };
}

/** Of several forms of a value, the object: it can say what the others say. */
function richest(options: readonly unknown[]): Schema {
  const schemas = options.filter(isJsonObject);
  return schemas.find(({ type }) => type === 'object') ?? schemas[0] ?? {};
}

/** A schema without a type allows anything; the only such arguments are bodies of calls. */
function typeOf({ type, const: constant }: Schema): { type: unknown } {
  if (type !== undefined) return { type };
  return { type: constant === undefined ? 'object' : typeof constant };
}

function bound(name: 'minimum' | 'maximum', exclusive: unknown, step: number): Schema {
  return typeof exclusive === 'number' ? { [name]: exclusive + step } : {};
}
