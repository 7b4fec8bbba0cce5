import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { freeOperations, operations } from '@/lib/catalog';
import { placeArguments } from '@/lib/discovery/mcp/api-call';
import {
  annotationsOf,
  findRemoteTool,
  isPaid,
  keyArgument,
  remoteTools,
} from '@/lib/discovery/remote-tools';
import { toolSchema } from '@/lib/discovery/tool-schema';
import { expect, test } from '../support/without-browser';

const ajv = addFormats.default(new Ajv2020({ strict: false }));
const ajvForAllErrors = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));

test('every operation is one tool, under a name that all assistants accept, except those only for HTTP and those that a wallet signs in to', () => {
  const forAssistants = freeOperations.filter(({ access, isHttpOnly }) => access !== 'wallet' && !isHttpOnly);
  expect(remoteTools().map(({ operation }) => operation.id)).toEqual(
    [...operations, ...forAssistants].map(({ id }) => id),
  );
  for (const name of ['wallet_calls', 'forms_links']) expect(findRemoteTool(name)).toBeUndefined();
  const names = remoteTools().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-z0-9_]{1,64}$/.test(name))).toEqual([]);
  expect(names).toContain('account_delete_upload');
});

test('names that only objects have are not tools', () => {
  for (const name of ['__proto__', 'constructor', 'toString', ''])
    expect(findRemoteTool(name)).toBeUndefined();
});

for (const { name, operation, places, inputSchema, description } of remoteTools()) {
  test(`${name} takes each argument in one place, and the example of its operation`, () => {
    const bodyFields = 'body' in operation && operation.takesBody ? Object.keys(operation.body.shape) : [];
    const queryFields = 'query' in operation && operation.query ? Object.keys(operation.query.shape) : [];
    const fields = [...Object.keys(operation.params.shape), ...queryFields, ...bodyFields];
    expect(new Set(fields).size, 'no two places have an argument of the same name').toBe(fields.length);
    expect([...places.keys()].sort()).toEqual(Object.keys(inputSchema.properties).sort());
    expect([...places.keys()]).toEqual(expect.arrayContaining(fields));

    const validate = ajv.compile(inputSchema);
    const body = 'body' in operation.example ? operation.example.body : {};
    const token = [...places]
      .filter(([, place]) => place === 'token')
      .map(([argument]) => [argument, 'secret']);
    const example = { ...operation.example.params, ...body, ...Object.fromEntries(token) };
    expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...example, unknown: 1 })).toBe(false);
  });

  test(`${name} says what it costs, and no more than assistants read`, () => {
    expect(description.length).toBeLessThan(1_024);
    expect(description).not.toMatch(/Authorization: Bearer|\/v1\//);
    if (isPaid(operation)) expect(description).toContain(`${operation.price}`);
    else expect(description).toContain('Free.');
  });
}

/** Every schema inside a schema, with its path. */
function schemasIn(schema: Record<string, unknown>, path: string): [string, Record<string, unknown>][] {
  const { properties = {}, items, additionalProperties } = schema;
  const inner = [
    ...Object.entries(properties as object),
    ...Object.entries({ items, additionalProperties }).filter(([, one]) => typeof one === 'object'),
  ] as [string, Record<string, unknown>][];
  return [[path, schema], ...inner.flatMap(([name, one]) => schemasIn(one, `${path}.${name}`))];
}

const acceptedKeywords = [
  'additionalProperties',
  'default',
  'description',
  'enum',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
  'properties',
  'required',
  'type',
];

for (const { name, inputSchema, operation } of remoteTools()) {
  test(`the listed schema of ${name} has what the providers of large models accept, and allows its example`, () => {
    const listed = toolSchema(inputSchema);
    const unaccepted = schemasIn({ ...listed }, name).filter(
      ([, schema]) =>
        typeof schema.type !== 'string' ||
        ![undefined, 'date-time'].includes(schema.format as string | undefined) ||
        !Object.keys(schema).every((key) => acceptedKeywords.includes(key)),
    );
    expect(unaccepted).toEqual([]);
    expect(Object.keys(listed.properties as object)).toEqual(Object.keys(inputSchema.properties));
    const validate = ajvForAllErrors.compile({ ...listed, required: [] });
    const body = 'body' in operation.example ? operation.example.body : {};
    validate({ ...operation.example.params, ...body });
    // Examples also use the shorter form, `true`, where an object can say more.
    const failures: readonly ErrorObject[] = validate.errors ?? [];
    expect(failures.filter(({ keyword, params }) => keyword !== 'type' || params.type !== 'object')).toEqual(
      [],
    );
  });
}

test('names of tools leave a client 40 characters for the name of the server', () => {
  expect(remoteTools().filter(({ name }) => name.length > 24)).toEqual([]);
});

test('no assistant may call a paid tool without asking, because of a hint', () => {
  for (const tool of remoteTools()) {
    const { readOnlyHint, idempotentHint, destructiveHint } = annotationsOf(tool);
    if (isPaid(tool.operation))
      expect([tool.name, readOnlyHint, idempotentHint]).toEqual([tool.name, false, false]);
    expect(destructiveHint).toBe(tool.operation.method === 'DELETE');
    expect(tool.places.has(keyArgument)).toBe(isPaid(tool.operation));
  }
});

test('an argument for the query stays what it is, even an object without a text of its own', () => {
  const tool = findRemoteTool('forms_responses');
  if (!tool) throw new Error('there is no such tool');
  const given = { cursor: { toString: 1, valueOf: 1 }, limit: [5], wait: 20 };
  expect([...placeArguments(tool, given).query]).toEqual([
    ['cursor', '{"toString":1,"valueOf":1}'],
    ['limit', '[5]'],
    ['wait', '20'],
  ]);
});
