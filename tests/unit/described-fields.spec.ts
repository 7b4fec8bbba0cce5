import { z } from 'zod';
import { freeOperations, operations } from '@/lib/catalog';
import { adapterTools } from '@/lib/catalog/adapter-tools';
import { expect, test } from '../support/without-browser';

/** A field that callers send or receive, with its location. */
interface Field {
  readonly path: string;
  readonly schema: JsonSchema;
}

interface JsonSchema {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
}

function fieldsIn(schema: JsonSchema, path: string): Field[] {
  const named = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    path: `${path}.${name}`,
    schema: field,
  }));
  const below = named.flatMap((field) => fieldsIn(field.schema, field.path));
  const items = schema.items ? fieldsIn(schema.items, `${path}[]`) : [];
  const { additionalProperties: values } = schema;
  const inMap = typeof values === 'object' ? fieldsIn(values, `${path}{}`) : [];
  const either = (schema.anyOf ?? []).flatMap((one) => fieldsIn(one, path));
  return [...named, ...below, ...items, ...inMap, ...either];
}

/** Every field of every input, once per operation, tool, path, query and body. */
function everyFieldSent(): Field[] {
  const inputs = [
    ...[...operations, ...freeOperations].flatMap((operation) => [
      ['params', operation.id, operation.params] as const,
      ...('body' in operation ? [['body', operation.id, operation.body] as const] : []),
      ...('query' in operation && operation.query ? [['query', operation.id, operation.query] as const] : []),
    ]),
    ...adapterTools.map(({ name, input }) => ['tool', name, input] as const),
  ];
  return inputs.flatMap(([part, id, schema]) =>
    fieldsIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema, `${part} ${id}`),
  );
}

/** Every field of every response, at every depth, once per operation and tool. */
function everyFieldReceived(): Field[] {
  const outputs = [
    ...[...operations, ...freeOperations].map(({ id, output }) => ['answer', id, output] as const),
    ...adapterTools.map(({ name, output }) => ['tool answer', name, output] as const),
  ];
  return outputs.flatMap(([part, id, schema]) =>
    fieldsIn(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonSchema, `${part} ${id}`),
  );
}

/** A nullable field may take its description from its non-null alternative. */
function meaningOf({ description, anyOf = [] }: JsonSchema): string {
  return description ?? anyOf.flatMap((one) => one.description ?? [])[0] ?? '';
}

/** A sentence, or words that begin with the name of a cursor. */
const sentence = /^\p{Lu}.{3,}[.:!]?$|^\w+Cursor .+|^`/u;

/** Fields that need no example: their values are all listed, or consist of fields with examples of their own. */
function showsItself({ type, enum: values, const: value, properties, items, anyOf }: JsonSchema): boolean {
  return type === 'boolean' || Boolean(values ?? value ?? properties ?? items?.properties ?? anyOf);
}

test('every field that callers send says what it means, in a sentence', () => {
  const fields = everyFieldSent();
  expect(fields.length).toBeGreaterThan(150);
  const wrong = fields.filter(({ schema }) => !sentence.test(meaningOf(schema)));
  expect(wrong.map(({ path, schema }) => `${path}: ${schema.description}`)).toEqual([]);
});

test('every field that callers get says what it means, in a sentence', () => {
  const fields = everyFieldReceived();
  expect(fields.length).toBeGreaterThan(400);
  const wrong = fields.filter(({ schema }) => !sentence.test(meaningOf(schema)));
  expect(wrong.map(({ path, schema }) => `${path}: ${meaningOf(schema)}`)).toEqual([]);
});

test('every field that callers send shows an example, unless its values are listed', () => {
  const wrong = everyFieldSent().filter(({ schema }) => !showsItself(schema) && !schema.examples?.length);
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('the examples of a field are valid', () => {
  for (const { id, body } of operations) {
    for (const [name, field] of Object.entries(body.shape)) {
      const { examples = [] } = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
      for (const example of examples)
        expect(z.safeParse(field, example).success, `${id} ${name}: ${JSON.stringify(example)}`).toBe(true);
    }
  }
});
