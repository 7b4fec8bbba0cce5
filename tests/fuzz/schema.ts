import fc from 'fast-check';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The parts of JSON Schema that our schemas use. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly examples?: readonly Json[];
}

/** Longer lists and texts would reveal nothing new, and cost time. */
const itemsMax = 3;
const lengthMax = 80;

/** Values that a schema allows. */
export function allowedBy(schema: Schema): fc.Arbitrary<Json> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(allowedBy));
  switch (schema.type) {
    case 'object':
      return allowedObject(schema);
    case 'array': {
      const { items = {}, minItems = 0, maxItems = itemsMax, uniqueItems = false } = schema;
      const length = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, itemsMax)) };
      const item = allowedBy(items);
      return uniqueItems ? fc.uniqueArray(item, length) : fc.array(item, length);
    }
    case 'string':
      return allowedString(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 });
    case 'number': {
      const { exclusiveMinimum, minimum = exclusiveMinimum ?? -1_000, maximum = minimum + 1_000 } = schema;
      const minExcluded = exclusiveMinimum !== undefined;
      return fc.double({ min: minimum, max: maximum, noNaN: true, minExcluded });
    }
    case 'boolean':
      return fc.boolean();
    default:
      return fc.constant(null);
  }
}

function allowedObject({ properties = {}, required = [] }: Schema): fc.Arbitrary<Json> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, allowedBy(one)]));
  return fc.record(fields, { requiredKeys: [...required] }) as fc.Arbitrary<Json>;
}

/** A text that must have a certain form is taken from the schema's examples. */
function allowedString({
  examples = [],
  pattern,
  format,
  minLength = 0,
  maxLength = lengthMax,
}: Schema): fc.Arbitrary<Json> {
  if (examples.length > 0 && (pattern !== undefined || format !== undefined))
    return fc.constantFrom(...examples);
  if (pattern !== undefined)
    return fc
      .stringMatching(new RegExp(pattern, 'u'))
      .filter((text) => text.length >= minLength && text.length <= maxLength);
  if (format === 'uri') return fc.webUrl();
  if (format === 'date') return fc.constantFrom('2098-03-04', '2099-12-31');
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, lengthMax)) });
}

/** The names of a value's types in JSON Schema; a whole number has two. */
export function typesOf(value: Json): readonly string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return [typeof value];
}

/** The types that a schema allows, including those in its alternatives. */
export function typesAllowedBy(schema: Schema): readonly string[] {
  if (schema.anyOf) return schema.anyOf.flatMap(typesAllowedBy);
  if (schema.const !== undefined) return typesOf(schema.const);
  if (schema.enum) return schema.enum.flatMap(typesOf);
  return schema.type ? [schema.type] : [];
}
