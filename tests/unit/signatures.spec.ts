import { z } from 'zod';
import { freeOperations, operations } from '@/lib/catalog';
import { type Signatures, signaturesOf } from '@/lib/discovery/signatures';
import { expect, test } from '../support/without-browser';
import { parseSignature, type SignatureType } from './signature-parser';

/** The signatures in llms.txt, from which a model writes bodies without seeing any schema. */

interface Call {
  readonly id: string;
  readonly body: z.ZodObject;
}

const calls: readonly Call[] = [...operations, ...freeOperations].flatMap((one) =>
  'body' in one && Object.keys((one.body as z.ZodObject).shape).length > 0
    ? [{ id: one.id, body: one.body as z.ZodObject }]
    : [],
);
const signatures: Signatures = signaturesOf([...operations, ...freeOperations]);
const shared = Object.fromEntries(signatures.shared.map(({ name, text }) => [name, text]));
const typeOf = (id: string): SignatureType => parseSignature(signatures.bodies.get(id) ?? '', shared);

test('every body has a signature with all of its fields, and says which are required', () => {
  expect(calls.length).toBeGreaterThan(15);
  for (const { id, body } of calls) {
    const type = typeOf(id);
    if (type.kind !== 'object') throw new Error(`${id} is no object`);
    const { properties = {}, required = [] } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
    expect(type.fields.map(({ name }) => name).sort(), id).toEqual(Object.keys(properties).sort());
    const needed = type.fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
    expect(needed.sort(), id).toEqual([...required].sort());
  }
});

/** A model knows what it wants to send; these are the values that no signature can tell it. */
const known: Readonly<Record<string, unknown>> = {
  departureDate: '2099-12-24',
  returnDate: '2099-12-31',
  destination: 'OSL',
  closesAt: new Date(Date.now() + 86_400_000).toISOString(),
  operation: 'uploads.create',
  // At most half of timeout, as the playbook says.
  waitFor: 15_000,
  // What one adult may bring along.
  children: 1,
  infants: 1,
};

/** The values that a model would try for a type: each alternative, and both ends of each range. */
function valuesOf(type: SignatureType, name: string): unknown[] {
  if (known[name] !== undefined) return [known[name]];
  switch (type.kind) {
    case 'literal':
      return [type.value];
    case 'union':
      return type.types.flatMap((one) => valuesOf(one, name));
    case 'list':
      // Of an object: what is required.
      return [valuesOf(type.of, name).slice(-1)];
    case 'object':
      return [bodyOf(type, () => true), bodyOf(type, ({ isOptional }) => !isOptional)];
    case 'int':
      return [...(type.range ?? [1])];
    case 'simple':
      return [type.like ?? samples[type.name]];
  }
}

const samples: Readonly<Record<string, unknown>> = {
  str: 'Hello',
  num: 5,
  bool: true,
  url: 'https://docs.example.com/start',
  any: {},
  object: {},
};

type Field = Extract<SignatureType, { kind: 'object' }>['fields'][number];

function bodyOf(
  { fields }: Extract<SignatureType, { kind: 'object' }>,
  isSent: (field: Field) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(fields.filter(isSent).map(({ name, type }) => [name, valuesOf(type, name)[0]]));
}

/** Fields that only some questions have, which llms.txt cannot say in its signature. */
const onlySome =
  /^(placeholder|minLength|maxLength|min|max|integer|options|allowOther|minSelections|maxSelections)$/;

test('a body that is written from its signature alone is accepted, with any one field added', () => {
  for (const { id, body } of calls) {
    const type = typeOf(id);
    if (type.kind !== 'object') continue;
    const minimal = bodyOf(type, ({ isOptional }) => !isOptional);
    expect(body.safeParse(minimal).error?.issues ?? [], id).toEqual([]);
    for (const { name, type: field } of type.fields)
      for (const value of valuesOf(field, name)) {
        const sent = { ...minimal, [name]: value };
        expect
          .soft(body.safeParse(sent).error?.issues ?? [], `${id} ${name}: ${JSON.stringify(value)}`)
          .toEqual([]);
      }
  }
});

test('a form with a question of each type, as its signature describes it, is accepted', () => {
  const { body } = calls.find(({ id }) => id === 'forms.create') ?? {};
  const type = typeOf('forms.create');
  if (!body || type.kind !== 'object') throw new Error('there is no body');
  const list = type.fields.find(({ name }) => name === 'questions')?.type;
  if (list?.kind !== 'list' || list.of.kind !== 'object') throw new Error('there are no questions');
  const kinds = list.of.fields.find(({ name }) => name === 'type')?.type;
  if (!kinds) throw new Error('questions have no type');
  const questions = valuesOf(kinds, 'type').map((kind) => ({
    ...bodyOf(
      list.of as typeof list.of & { kind: 'object' },
      ({ name }) => !onlySome.test(name) && name !== 'id',
    ),
    type: kind,
    ...(String(kind).endsWith('choice') ? { options: ['Yes', 'No'] } : {}),
  }));
  expect(questions).toHaveLength(6);
  expect(body.safeParse({ title: 'Lunch', questions }).error?.issues ?? []).toEqual([]);
});

test('every paid call that takes a body has a minimal one for its errors, with required fields only', () => {
  for (const { id, takesBody, body, minimalBody } of operations) {
    if (!takesBody) continue;
    expect(body.safeParse(minimalBody).error?.issues ?? [], id).toEqual([]);
    const { required = [] } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
    expect(Object.keys(minimalBody ?? {}).sort(), id).toEqual([...required].sort());
  }
});
