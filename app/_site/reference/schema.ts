import { z } from 'zod';
import { jsonSchema } from '@/lib/discovery/openapi/json-schema';

/** The keywords of JSON Schema that the catalog's schemas have. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  /** A regular expression, and what it allows, in words. */
  readonly pattern?: string;
  readonly patternWords?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

/** @param io `input` for what callers send, where fields with a default are optional; `output` for what they get */
export function schemaOf(type: z.ZodType, io: 'input' | 'output'): Schema {
  // Zod's own JSON Schema, in which nothing is shared by reference.
  return jsonSchema(type, io, [], (made, schema) => {
    const words = patternWords(schema);
    if (words !== null) made.patternWords = words;
  }) as Schema;
}

/** What the pattern of a string allows, as its error says: "must be a three-letter IATA code such as LHR". */
function patternWords(schema: z.core.$ZodType): string | null {
  if (!(schema instanceof z.ZodString)) return null;
  // No pattern of the catalog matches a control character.
  const issues = schema.safeParse('\u0000').error?.issues ?? [];
  const broken = issues.find((issue) => issue.code === 'invalid_format' && issue.format === 'regex');
  return broken ? broken.message.replace(/^must be (?:an? )?/, '').replace(/,? such as .*$/, '') : null;
}

/** The schemas that a value may have: several with `anyOf` or `oneOf`. */
export function alternativesOf(schema: Schema): readonly Schema[] {
  const alternatives = schema.anyOf ?? schema.oneOf;
  return alternatives ? alternatives.flatMap(alternativesOf) : [schema];
}

/** The schema of the values of a map, which is an object with any keys. */
export function mapValuesOf({ properties, additionalProperties }: Schema): Schema | null {
  return properties === undefined && typeof additionalProperties === 'object' ? additionalProperties : null;
}

/** The objects within a value: itself, the items of a list, or the values of a map. */
export function objectsIn(schema: Schema): readonly Schema[] {
  return alternativesOf(schema).flatMap((one) => {
    if (one.items) return objectsIn(one.items);
    if (one.properties && Object.keys(one.properties).length > 0) return [one];
    const values = mapValuesOf(one);
    return values ? objectsIn(values) : [];
  });
}
