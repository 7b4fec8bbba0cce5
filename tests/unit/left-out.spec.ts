import { z } from 'zod';
import { neural, operations } from '@/lib/catalog';
import { readInput, requestHash } from '@/lib/http/body';
import { withoutEmptyFields } from '@/lib/platform/empty-fields';
import { expect, test } from '../support/without-browser';

const schema = z.strictObject({
  name: z.string().min(1),
  note: z.string().optional(),
  currency: z.string().length(3).optional(),
  limit: z.number().default(5),
  nothing: z.string().nullable().optional(),
  items: z.array(z.strictObject({ tag: z.enum(['a', 'b']).optional() })).optional(),
  either: z.union([z.boolean(), z.strictObject({ max: z.number().optional() })]).optional(),
});

test('an optional field that is null, or empty where no empty text can be meant, is the same as left out', () => {
  expect(
    withoutEmptyFields(schema, {
      name: 'x',
      note: '',
      currency: '',
      limit: null,
      nothing: null,
      items: [{ tag: null }, { tag: '' }, { tag: 'a' }],
      either: { max: null },
    }),
  ).toEqual({ name: 'x', note: '', nothing: null, items: [{}, {}, { tag: 'a' }], either: {} });
});

test('required and unknown fields are kept, so that they are refused as before', () => {
  for (const value of [{ name: null }, { name: '' }, { name: 'x', unknown: null }, null, '', [null], 5])
    expect(withoutEmptyFields(schema, value)).toEqual(value);
  const hostile = JSON.parse('{"name":"x","__proto__":null,"constructor":""}');
  expect(Object.keys(withoutEmptyFields(schema, hostile) as object)).toEqual([
    'name',
    '__proto__',
    'constructor',
  ]);
});

/** The hash that a payment is bound to. */
function hashOf(operation: (typeof operations)[number], body: object): string {
  return requestHash(operation, readInput(operation, Buffer.from(JSON.stringify(body)), {})).toString('hex');
}

for (const operation of operations.filter(({ takesBody }) => takesBody)) {
  test(`${operation.id} is the same call with each optional field left out or null`, () => {
    const minimal = (operation.minimalBody ?? operation.example.body) as Record<string, unknown>;
    const optional = Object.entries(operation.body.shape)
      .filter(([name, field]) => !(name in minimal) && field.safeParse(undefined).success)
      .map(([name]) => [name, null]);
    const params = operation.example.params as Record<string, string>;
    const hash = (body: object) =>
      requestHash(operation, readInput(operation, Buffer.from(JSON.stringify(body)), params)).toString('hex');
    expect(hash({ ...minimal, ...Object.fromEntries(optional) })).toBe(hash(minimal));
  });
}

test('a value of the wrong type is told only its type', () => {
  const refuse = (body: object) => {
    try {
      hashOf(neural.search, body);
    } catch (error) {
      return (error as { issues: unknown }).issues;
    }
    return null;
  };
  expect(refuse({ query: 'x', includeDomains: 'example.com' })).toEqual([
    { path: 'includeDomains', rule: 'must be an array' },
  ]);
});
