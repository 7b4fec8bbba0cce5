import { requestFields, responseFields } from '@/app/_site/reference/call-fields';
import { allCalls } from '@/app/_site/reference/calls';
import { type Field, fieldsOf } from '@/app/_site/reference/fields';
import { alternativesOf, type Schema, schemaOf } from '@/app/_site/reference/schema';
import { expect, test } from '../support/without-browser';

/** What the reference says about fields, based on the catalog alone. */

const within = (fields: readonly Field[]): Field[] =>
  fields.flatMap((field) => [field, ...within(field.fields)]);

/** Every field of every call, including nested ones. */
const allFields = allCalls.flatMap((call) =>
  within([...requestFields(call).flatMap(({ fields }) => fields), ...responseFields(call)]).map((field) => ({
    where: `${call.id} ${field.path}`,
    field,
  })),
);

test('every field says what it means', () => {
  expect(allFields.filter(({ field }) => field.description === '').map(({ where }) => where)).toEqual([]);
});

test('every field has an example, its values, or fields of its own, unless it is true or false', () => {
  const bare = allFields.filter(
    ({ field: { type, values, example, fields } }) =>
      type !== 'boolean' && values.length === 0 && example === null && fields.length === 0,
  );
  expect(bare.map(({ where }) => where)).toEqual([]);
});

test('every field with a pattern says in words what it allows', () => {
  const silent: string[] = [];
  const visit = (where: string, schema: Schema): void => {
    for (const one of alternativesOf(schema)) {
      if (one.pattern !== undefined && !/^[^^$]{4,}$/.test(one.patternWords ?? '')) silent.push(where);
      if (one.items) visit(where, one.items);
      for (const [name, field] of Object.entries(one.properties ?? {})) visit(`${where} ${name}`, field);
    }
  };
  for (const call of allCalls) {
    visit(`${call.id} path`, schemaOf(call.params, 'input'));
    if ('query' in call && call.query) visit(`${call.id} query`, schemaOf(call.query, 'input'));
    if ('takesBody' in call) visit(`${call.id} body`, schemaOf(call.body, 'input'));
    visit(`${call.id} response`, schemaOf(call.output, 'output'));
  }
  expect(silent).toEqual([]);
});

test('a format is named as its error names it', () => {
  const formats = new Map(allFields.map(({ where, field }) => [where, field.format]));
  expect(formats.get('flights.search origin')).toBe('three-letter IATA code');
  expect(formats.get('uploads.create sha256')).toBe('64 lowercase hex characters');
  expect(formats.get('neural.search includeDomains')).toMatch(/domain/);
});

test('a field without an example of its own has it from the whole example', () => {
  const schema: Schema = { type: 'object', properties: { name: { type: 'string' } } };
  expect(fieldsOf(schema, { name: 'Ada' })).toMatchObject([{ name: 'name', example: '"Ada"' }]);
});
