import { type OpenApi, resolve, type Schema } from './described';

/** A row in the table of a schema. */
export interface Field {
  /** `questions[].label` */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly rules: string;
  readonly description: string;
}

/** Deep enough for our schemas; deeper fields are only in the example. */
const depthMax = 5;

/** The fields of a schema and their nested fields, in order. */
export function fieldsOf(document: OpenApi, schema: Schema, prefix = '', depth = 0): Field[] {
  const { properties = {}, required = [] } = resolve<Schema>(document, schema);
  return Object.entries(properties).flatMap(([key, inner]) => {
    const field = resolve<Schema>(document, inner);
    const name = prefix + key;
    const line = {
      name,
      type: typeOf(document, field),
      isRequired: required.includes(key),
      rules: rulesOf(field),
      description: field.description ?? '',
    };
    const items = field.items ? resolve<Schema>(document, field.items) : undefined;
    const [inside, step] = items ? [items, '[].'] : [field, '.'];
    const isShown = depth < depthMax && inside.properties;
    return [line, ...(isShown ? fieldsOf(document, inside, `${name}${step}`, depth + 1) : [])];
  });
}

function typeOf(document: OpenApi, schema: Schema): string {
  if (schema.items) return `array of ${typeOf(document, resolve<Schema>(document, schema.items))}`;
  if (schema.anyOf) {
    return [...new Set(schema.anyOf.map((one) => typeOf(document, resolve<Schema>(document, one))))].join(
      ' or ',
    );
  }
  const type = schema.type ?? (schema.const === undefined ? 'any' : typeof schema.const);
  return schema.format ? `${type} (${schema.format})` : type;
}

function rulesOf(schema: Schema): string {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum } = schema;
  const said = (value: unknown) => JSON.stringify(value);
  return [
    schema.const === undefined ? '' : `always ${said(schema.const)}`,
    schema.enum ? `one of ${schema.enum.map(said).join(', ')}` : '',
    schema.default === undefined ? '' : `default ${said(schema.default)}`,
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    // Without bounds, Zod writes those of safe integers.
    range(bound(minimum), bound(maximum), ''),
    schema.exclusiveMinimum === undefined ? '' : `above ${schema.exclusiveMinimum}`,
    schema.pattern && !schema.format ? `matches ${schema.pattern}` : '',
  ]
    .filter(Boolean)
    .join('; ');
}

const bound = (value: number | undefined) =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined)
    return least === most ? `${most}${unit}` : `${least} to ${most}${unit}`;
  if (most !== undefined) return `at most ${most}${unit}`;
  return least === undefined ? '' : `at least ${least}${unit}`;
}
