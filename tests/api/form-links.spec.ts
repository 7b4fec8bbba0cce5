import { sql } from '../support/database';
import { expectError } from '../support/expectations';
import { stampOfAge } from '../support/form-stamps';
import {
  askForLinks,
  buyForm,
  type CreatedForm,
  everyType,
  linkTo,
  openPage,
  postPage,
  readResponses,
} from '../support/forms';
import { expect, test } from '../support/without-browser';

/** Links to a form for one recipient each, with answers filled in. */

let shared: Promise<CreatedForm> | undefined;
/** A form that no test here closes or fills. */
const formWithEveryType = () => {
  shared ??= buyForm();
  return shared;
};

test('a link fills in answers of every type, and its recipient comes back with the response', async () => {
  const form = await buyForm();
  const answers = {
    name: 'Ada',
    story: 'Once upon a time.\nThe end.',
    mail: 'ada@example.com',
    guests: 2,
    food: 'Salad',
    days: ['Friday', 'Monday'],
  };
  const url = await linkTo(form, { recipient: 'Ada Lovelace', answers });
  expect(url).not.toContain('Ada');
  const { status, html } = await openPage(url);
  expect(status).toBe(200);
  expect(html).toContain('This link is for <bdi translate="no"><strong>Ada Lovelace</strong></bdi>.');
  expect(html).toContain('<p>Some answers were filled in for you.');
  for (const [name, value] of [
    ['q_name', 'Ada'],
    ['q_mail', 'ada@example.com'],
    ['q_guests', '2'],
    ['o_days', 'Monday'],
  ])
    expect(html).toMatch(new RegExp(`<input[^>]*name="${name}"[^>]*value="${value}"`));
  const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1] ?? '';
  expect(new URL(action, form.url).href).toBe(url);
  const fields = { q_name: 'Ada', q_mail: 'ada@example.com', q_food: '1', stamp: stampOfAge(form.id, 5_000) };
  expect((await postPage(url, fields)).status).toBe(303);
  expect((await postPage(form.url, { ...fields, stamp: stampOfAge(form.id, 5_000) })).status).toBe(303);
  const { responses } = await (await readResponses(form)).json();
  expect(responses.map(({ recipient }: { recipient?: string }) => recipient)).toEqual([
    'Ada Lovelace',
    undefined,
  ]);
  const [row] = await sql<{ recipient: Buffer }>(
    'SELECT recipient FROM form_response WHERE form_id = $1 AND number = 1',
    [form.id],
  );
  expect(row?.recipient.toString('latin1')).not.toContain('Lovelace');
});

test('answers that broke a rule are kept with the link', async () => {
  const form = await formWithEveryType();
  const url = await linkTo(form, { recipient: 'Ada' });
  const fields = { q_name: 'Ada', q_mail: 'nobody', q_food: '1', stamp: stampOfAge(form.id, 5_000) };
  const wrong = await postPage(url, fields);
  expect(wrong.status).toBe(422);
  const html = await wrong.text();
  expect(html).toContain('<strong>Ada</strong>');
  expect(html).not.toContain('<p>Some answers were filled in');
  expect(html).toContain(`action="${url.slice(url.indexOf('/f/'))}"`);
});

test('links are made for up to 100 recipients, and nothing is stored', async () => {
  const form = await formWithEveryType();
  const stored = () => sql('SELECT md5(form::text) AS row FROM form WHERE id = $1', [form.id]);
  const before = await stored();
  const links = Array.from({ length: 100 }, (_, index) => ({ recipient: `Person ${index}` }));
  const made = (await (await askForLinks(form, { links })).json()).links;
  expect(made.map(({ recipient }: { recipient: string }) => recipient)).toEqual(
    links.map(({ recipient }) => recipient),
  );
  expect(new Set(made.map(({ url }: { url: string }) => url)).size).toBe(100);
  expect(await stored()).toEqual(before);
  await expectError(await askForLinks(form, { links: [...links, ...links] }), 'invalid_input');
});

for (const [what, change] of [
  ['is cut off', (url: string) => url.slice(0, -5)],
  ['has another letter', (url: string) => url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A')],
  ['has a letter more', (url: string) => `${url}A`],
  ['has a sign that no link has', (url: string) => `${url}!`],
  ['is empty', (url: string) => url.slice(0, url.indexOf('=') + 1)],
  ['is very long', (url: string) => url + 'A'.repeat(5_000)],
] as const) {
  test(`a link that ${what} gets a page that says so, and stores nothing`, async () => {
    const form = await formWithEveryType();
    const broken = change(await linkTo(form, { recipient: 'Ada', answers: { name: 'Ada' } }));
    const { status, html } = await openPage(broken);
    expect(status).toBe(400);
    expect(html).toContain('This link is not complete');
    expect(html).not.toContain('name="stamp"');
    const count = async () => (await (await readResponses(form)).json()).form.responseCount;
    const before = await count();
    const fields = { q_name: 'Grace', q_mail: 'g@example.com', q_food: '1' };
    const sent = await postPage(broken, { ...fields, stamp: stampOfAge(form.id, 5_000) });
    expect(sent.status).toBe(400);
    // What a person has written is not lost.
    expect(await sent.text()).toContain('Grace');
    expect(await count()).toBe(before);
  });
}

test('a link does not open another form', async () => {
  const [form, other] = [await formWithEveryType(), await buyForm()];
  const url = await linkTo(form, { answers: { name: 'Ada' } });
  expect((await openPage(url.replace(form.id, other.id))).status).toBe(400);
});

test('an answer that a person could not send is refused with its path and rule', async () => {
  const form = await formWithEveryType();
  const cases: [object, string, string][] = [
    [{ name: 'x'.repeat(41) }, 'name', 'must have at most 40 characters'],
    [{ name: 7 }, 'name', 'must be text'],
    [{ name: 'a\u202eb' }, 'name', 'must be visible, well-formed text'],
    [{ story: 'hi' }, 'story', 'must have at least 5 characters'],
    [{ mail: 'nobody' }, 'mail', 'must be an email address'],
    [{ guests: 10 }, 'guests', 'must be from 0 to 9'],
    [{ guests: 1.5 }, 'guests', 'must be a whole number'],
    [{ guests: 'many' }, 'guests', 'must be a number of at most 15 digits'],
    [{ food: ['Soup'] }, 'food', 'must be one option, as text'],
    [{ days: ['Friday', 'A', 'B'] }, 'days', 'must have at most one answer that is not an option'],
    [{ days: ['Friday', 'Sunday', 'Saturday'] }, 'days', 'must have at most 2 options'],
    [{ age: 3 }, 'age', 'is not the ID of a question of this form'],
  ];
  for (const [answers, id, rule] of cases) {
    const refused = await expectError(await askForLinks(form, { links: [{ answers }] }), 'invalid_input');
    expect(refused.issues).toEqual([{ path: `links.0.answers.${id}`, rule }]);
  }
  for (const body of [{ links: [] }, {}, { links: [{ answers: { name: null } }] }])
    await expectError(await askForLinks(form, body), 'invalid_input');
});

test('the name of an answer that no question can have is not repeated', async () => {
  const form = await formWithEveryType();
  for (const [name, value] of [
    ['<script>alert(1)</script>', 'x'],
    ['<script>alert(1)</script>', true],
    ['__proto__', 'x'],
  ] as const) {
    const links = JSON.parse(
      `[{"recipient":"Ada","answers":{${JSON.stringify(name)}:${JSON.stringify(value)}}}]`,
    );
    const answered = await askForLinks(form, { links });
    expect(answered.status).toBeLessThan(500);
    expect(await answered.text()).not.toContain('script');
  }
});

test('numbers are filled in as they are written in the language of the form', async () => {
  const form = await buyForm({
    title: 'Zahlen',
    language: 'de',
    questions: [{ id: 'n', type: 'number', label: 'Wie viel?' }],
  });
  for (const [number, written] of [
    [1.234, '1,234'],
    [-1234567.5, '-1234567,5'],
    [1000, '1000'],
  ] as const) {
    const { html } = await openPage(await linkTo(form, { answers: { n: number } }));
    expect(html).toContain(`value="${written}"`);
    const sent = { q_n: written, stamp: stampOfAge(form.id, 5_000) };
    expect((await postPage(form.url, sent)).status).toBe(303);
  }
  const { responses } = await (await readResponses(form)).json();
  expect(responses.map((one: { answers: { n: number } }) => one.answers.n)).toEqual([
    1.234, -1234567.5, 1000,
  ]);
});

test('recipient and answers are text on the page, never markup', async () => {
  const form = await formWithEveryType();
  const evil = '"><script>alert(1)</script><b a="';
  const url = await linkTo(form, { recipient: evil, answers: { name: evil, story: `</textarea>${evil}` } });
  const { html } = await openPage(url);
  expect(html).not.toContain('<script>alert');
  expect(html).not.toContain('</textarea>&quot;&gt;<');
  expect(html).toContain('&lt;script&gt;');
});

test('a link must not ask for what a form may not ask for', async () => {
  const form = await formWithEveryType();
  for (const [link, path] of [
    [{ answers: { story: 'Please enter your password here:' } }, 'links.0.answers.story'],
    [{ answers: { food: 'Your card number' } }, 'links.0.answers.food'],
    [{ recipient: 'Enter your PIN' }, 'links.0.recipient'],
  ] as const) {
    const refused = await expectError(await askForLinks(form, { links: [link] }), 'form_forbidden_content');
    expect(refused.issues?.[0]?.path).toBe(path);
  }
});

test('a link whose address would be too long is refused', async () => {
  const form = await formWithEveryType();
  const links = [{ recipient: 'Ada', answers: { story: 'long '.repeat(900) } }];
  const refused = await expectError(await askForLinks(form, { links }), 'invalid_input');
  expect(refused.issues?.[0]).toEqual({
    path: 'links.0',
    rule: 'must be shorter: its address has more than 4000 characters',
  });
});

test('links need the read token of the form', async () => {
  const [form, other] = [await formWithEveryType(), await buyForm(everyType)];
  const body = { links: [{ recipient: 'Ada' }] };
  await expectError(await askForLinks({ ...form, readToken: '' }, body), 'read_token_required');
  await expectError(await askForLinks({ ...form, readToken: other.readToken }, body), 'read_token_wrong');
});
