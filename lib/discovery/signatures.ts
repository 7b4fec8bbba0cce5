import { z } from 'zod';

/**
 * Bodies as signatures, for readers with little room: `{query:str, numResults?:int 1..25=10}`. Every field is named with its type,
 * so that a body written from its signature is accepted.
 */

/** How to read a signature. */
export const signatureNotes =
  '`?` marks what may be left out, `[T]` is a list of T, `=` gives a default, `like` an example of a text with a fixed form; a `date` is like `2026-12-24`, a `datetime` like `2026-12-24T12:00:00Z`. A name with a capital letter stands for what the line `Name =` says.';

/** A signature with a name, for what several calls take. */
export interface NamedSignature {
  readonly name: string;
  readonly text: string;
}

export interface Signatures {
  /** What several calls take. */
  readonly shared: readonly NamedSignature[];
  /** The signature of each body, by the ID of its call. Calls without a body have none. */
  readonly bodies: ReadonlyMap<string, string>;
}

interface WithBody {
  readonly id: string;
  readonly body?: z.ZodType;
}

/** Shorter ones are repeated. */
const sharedLengthMin = 60;

/** The signatures of the bodies of calls. */
export function signaturesOf(calls: readonly WithBody[]): Signatures {
  const parts = new Map<string, { name: string; count: number }>();
  const count = (text: string, name: string) => {
    const known = parts.get(text);
    parts.set(text, { name: known?.name ?? pascalOf(name), count: (known?.count ?? 0) + 1 });
    return text;
  };
  const withBody = calls.flatMap(({ id, body }) => {
    const schema = body && schemaOf(body);
    return schema?.properties && Object.keys(schema.properties).length > 0 ? [{ id, schema }] : [];
  });
  for (const { id, schema } of withBody) count(signatureOf(schema, id, count), id);
  const repeated = [...parts].filter(([text, one]) => one.count > 1 && text.length >= sharedLengthMin);
  const names = new Map(repeated.map(([text, { name }]) => [text, name]));
  const shorten = (text: string) => names.get(text) ?? text;
  const bodies = withBody.map(({ id, schema }) => [id, shorten(signatureOf(schema, id, shorten))] as const);
  return { shared: repeated.map(([text, { name }]) => ({ name, text })), bodies: new Map(bodies) };
}

const part = z.looseObject({
  type: z.string().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  examples: z.array(z.unknown()).optional(),
  minLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  required: z.array(z.string()).default([]),
  get properties() {
    return z.record(z.string(), part).optional();
  },
  get items() {
    return part.optional();
  },
  get anyOf() {
    return z.array(part).optional();
  },
});
type Part = z.output<typeof part>;

const schemaOf = (body: z.ZodType): Part =>
  part.parse(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }));

/** @param share is given the signature of each part that may be shared, and returns what stands in its place */
function signatureOf(schema: Part, name: string, share: (text: string, name: string) => string): string {
  const { anyOf, enum: values, items, properties, required } = schema;
  if (anyOf) return anyOf.map((one) => signatureOf(one, name, share)).join('|');
  if (values) return share(values.map((value) => JSON.stringify(value)).join('|'), name);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === 'array')
    return `[${items ? signatureOf(withExamples(items, schema), name, share) : 'any'}]`;
  if (!properties) return simpleTypeOf(schema);
  const fields = Object.entries(properties).map(([key, field]) => {
    const text = signatureOf(field, key, share);
    const isPlain = field.const !== undefined || plainDefaults.has(JSON.stringify(field.default));
    const byDefault = isPlain ? '' : `=${JSON.stringify(field.default)}`;
    return `${key}${required.includes(key) ? '' : '?'}:${text}${byDefault}`;
  });
  const text = `{${fields.join(', ')}}`;
  return name.includes('.') ? text : share(text, name);
}

/** The items of a list, whose examples are often those of the list. */
function withExamples(items: Part, list: Part): Part {
  const [example] = list.examples ?? [];
  return { ...items, examples: items.examples ?? (Array.isArray(example) ? example : undefined) };
}

/** Defaults that say nothing. */
const plainDefaults: ReadonlySet<string | undefined> = new Set([undefined, 'false', '[]', '{}']);

const formats: Readonly<Record<string, string>> = { date: 'date', 'date-time': 'datetime', uri: 'url' };
const types: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'num',
  boolean: 'bool',
  object: 'object',
};

/** Texts with a pattern, or with rules that a schema cannot express, are shown by example. */
function simpleTypeOf({
  type = '',
  format = '',
  examples,
  minLength,
  minimum,
  maximum,
  ...rest
}: Part): string {
  const text = formats[format] ?? types[type] ?? 'any';
  if (type === 'integer' && minimum !== undefined && maximum !== undefined && maximum < 1_000_000_000)
    return `${text} ${minimum}..${maximum}`;
  const [example] = examples ?? [];
  const isFree = rest.pattern === undefined && (minLength !== undefined || rest.default !== undefined);
  if (text !== 'str' || isFree || typeof example !== 'string') return text;
  return `str like ${JSON.stringify(example)}`;
}

/** `neural.search` is `NeuralSearch`. */
const pascalOf = (name: string): string =>
  name.replaceAll(/(?:^|[.-])(\w)/g, (_, letter: string) => letter.toUpperCase());
