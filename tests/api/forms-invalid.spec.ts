import { envelopeFor, paymentHeader } from '../support/buyer';
import { exactOnly, expectError, expectUntouched } from '../support/expectations';
import { formsUrl } from '../support/forms';
import { newEvmPayer } from '../support/payers';
import { expect, test } from '../support/without-browser';

const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();
const text = { type: 'text', label: 'Your name' };
const choice = { type: 'choice', label: 'Food', options: ['Soup', 'Salad'] };
const many = { ...choice, type: 'multi_choice' };
const form = (...questions: object[]) => ({ title: 'Lunch', questions });

/** What is sent, where it is wrong, and the rule that the error names. */
type Case = readonly [what: string, body: unknown, path: string, rule: string | RegExp];

const cases: readonly Case[] = [
  ['no title', { questions: [text] }, 'title', 'is required'],
  ['a title of spaces', { ...form(text), title: '   ' }, 'title', 'must not be empty'],
  ['an invisible title', { ...form(text), title: '\u200b\u200b' }, 'title', /visible/],
  [
    '121 characters of title',
    { ...form(text), title: 't'.repeat(121) },
    'title',
    'must have at most 120 characters',
  ],
  ['a title with NUL', { ...form(text), title: 'a\0b' }, 'title', /well-formed/],
  ['a title that reorders text', { ...form(text), title: 'a\u202eb' }, 'title', /well-formed/],
  ['half a surrogate pair', { ...form(text), title: 'a\ud800' }, 'title', /well-formed/],
  ['no questions', form(), 'questions', 'must not be empty'],
  ['21 questions', form(...Array(21).fill(text)), 'questions', 'must have at most 20 items'],
  [
    'an unknown type',
    form({ ...text, type: 'file' }),
    'questions.0.type',
    /^must be one of: text, long_text/,
  ],
  ['no label', form({ type: 'text' }), 'questions.0.label', 'is required'],
  ['an id with a dot', form({ ...text, id: 'a.b' }), 'questions.0.id', /^must be /],
  ['one id twice', form({ ...text, id: 'a' }, { ...text, id: 'a' }), 'questions.1.id', /differ/],
  [
    'an id that another question gets by its place',
    form({ ...text, id: 'q2' }, text),
    'questions.1.id',
    /differ/,
  ],
  ['a field too many', form({ ...text, pattern: '.*' }), 'questions.0.pattern', 'is not a known field'],
  [
    'options for a text',
    form({ ...text, options: ['a', 'b'] }),
    'questions.0.options',
    /does not apply to type/,
  ],
  [
    'a length for a number',
    form({ type: 'number', label: 'n', maxLength: 3 }),
    'questions.0.maxLength',
    /type number/,
  ],
  [
    'a text longer than texts are',
    form({ ...text, maxLength: 501 }),
    'questions.0.maxLength',
    'must be at most 500',
  ],
  [
    'a minimum above the maximum length',
    form({ ...text, minLength: 9, maxLength: 8 }),
    'questions.0.minLength',
    /maxLength/,
  ],
  [
    'a minimum above the maximum',
    form({ type: 'number', label: 'n', min: 2, max: 1 }),
    'questions.0.min',
    'must be at most max',
  ],
  [
    'no whole number between the bounds',
    form({ type: 'number', label: 'n', min: 1.2, max: 1.8, integer: true }),
    'questions.0.max',
    /whole number/,
  ],
  ['a choice without options', form({ type: 'choice', label: 'Food' }), 'questions.0.options', 'is required'],
  ['one option', form({ ...choice, options: ['Soup'] }), 'questions.0.options', 'must have at least 2 items'],
  [
    '51 options',
    form({ ...choice, options: Array.from({ length: 51 }, String) }),
    'questions.0.options',
    'must have at most 50 items',
  ],
  ['an option twice', form({ ...choice, options: ['Soup', ' Soup '] }), 'questions.0.options', /different/],
  [
    'more selections than options',
    form({ ...many, maxSelections: 3 }),
    'questions.0.maxSelections',
    'must be at most 2',
  ],
  [
    'fewer at most than at least',
    form({ ...many, minSelections: 2, maxSelections: 1 }),
    'questions.0.minSelections',
    /maxSelections/,
  ],
  [
    'selections for a single choice',
    form({ ...choice, maxSelections: 1 }),
    'questions.0.maxSelections',
    /type choice/,
  ],
  ['a closing time in the past', { ...form(text), closesAt: days(-1) }, 'closesAt', /from now/],
  ['a closing time after 31 days', { ...form(text), closesAt: days(31) }, 'closesAt', /30 days/],
  [
    'a closing time without a zone',
    { ...form(text), closesAt: '2027-01-01' },
    'closesAt',
    /date and time with a time zone/,
  ],
  ['a language that is none', { ...form(text), language: 'not a language' }, 'language', /BCP 47/],
  ['an unknown field', { ...form(text), webhook: 'https://example.com' }, 'webhook', 'is not a known field'],
  ['a list for a body', [], 'body', 'must be an object'],
];

test('an invalid form gets an error with field and rule, and costs nothing', async () => {
  const wallet = await newEvmPayer();
  const envelope = paymentHeader(await envelopeFor(formsUrl(), wallet, 'base'));
  for (const [what, body, path, rule] of cases) {
    const answer = await fetch(formsUrl(), { method: 'POST', headers: envelope, body: JSON.stringify(body) });
    const { issues = [], reason } = await expectError(answer, 'form_invalid');
    expect(reason, what).toBe('invalid_input');
    expect(
      issues.map((issue) => issue.path),
      what,
    ).toContain(path);
    expect(issues.find((issue) => issue.path === path)?.rule, what).toMatch(rule);
  }
  await expectUntouched(wallet, 'base');
});

test('an error lists at most three issues and never repeats the input', async () => {
  const wallet = await newEvmPayer();
  const envelope = paymentHeader(await envelopeFor(formsUrl(), wallet, 'base'));
  const body = JSON.stringify(form(...Array(5).fill({ type: 'SECRETTYPE', label: '' })));
  const answer = await fetch(formsUrl(), { method: 'POST', headers: envelope, body });
  const text = await answer.clone().text();
  expect((await expectError(answer, 'form_invalid')).issues).toHaveLength(3);
  expect(text).not.toContain('SECRETTYPE');
  const broken = await fetch(formsUrl(), { method: 'POST', headers: envelope, body: '{"title": "SECRET' });
  const error = await expectError(broken, 'form_invalid');
  expect(error).toMatchObject({
    reason: 'invalid_json',
    issues: [{ path: 'body', rule: 'must be JSON in UTF-8' }],
  });
  await expectUntouched(wallet, 'base');
});

test('a form that asks for passwords is refused uncharged, with the fields and the kinds of secret', async () => {
  const wallet = await newEvmPayer();
  const envelope = paymentHeader(await envelopeFor(formsUrl(), wallet, 'base'));
  const body = JSON.stringify(
    form(text, { ...text, label: 'Your password', help: 'The password of your mail.' }),
  );
  const answer = await fetch(formsUrl(), { method: 'POST', headers: envelope, body });
  const { issues = [] } = await expectError(answer, 'form_forbidden_content');
  expect(issues.map(({ path }) => path)).toContain('questions.1.label');
  expect(issues[0]?.rule).toMatch(/^must not ask for: password/);
  await expectUntouched(wallet, 'base');
});

test('unpaid requests get the challenge with the input schema, before their body is checked', async () => {
  const answer = await fetch(formsUrl(), { method: 'POST', body: '{"title": 1}' });
  expect(answer.status).toBe(402);
  const header = answer.headers.get('payment-required') ?? '';
  expect(header.length).toBeLessThan(8_192);
  const { accepts, extensions } = JSON.parse(Buffer.from(header, 'base64').toString());
  expect(exactOnly<{ scheme: string; amount: string }>(accepts).map(({ amount }) => amount)).toEqual(
    Array(4).fill('10000'),
  );
  const { body } = extensions.bazaar.schema.properties.input.properties;
  expect(body.required).toEqual(['title', 'questions']);
});
