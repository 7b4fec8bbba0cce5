import { sql } from '../support/database';
import { expectError } from '../support/expectations';
import { stampOfAge } from '../support/form-stamps';
import { buyForm, type CreatedForm, openPage, postPage, readResponses } from '../support/forms';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

/** What the holder of a read token does with responses besides reading them: the summary, and the deletion of one. */

const survey = {
  title: 'Survey',
  questions: [
    { id: 'constructor', type: 'text', label: 'Name' },
    { id: 'n', type: 'number', label: 'How many?' },
    { id: 'food', type: 'choice', label: 'Food', options: ['Soup', 'Salad'], allowOther: true },
    { id: 'days', type: 'multi_choice', label: 'Days', options: ['Friday', 'Sunday'] },
  ],
};

async function answer(
  form: CreatedForm,
  fields: Record<string, string | string[]>,
  stamp = stampOfAge(form.id, 5_000),
): Promise<void> {
  const sent = await postPage(form.url, { ...fields, stamp });
  expect(sent.status, await sent.text()).toBe(303);
}

const headersOf = ({ readToken }: Pick<CreatedForm, 'readToken'>) => ({
  Authorization: `Bearer ${readToken}`,
});
const summaryOf = (form: CreatedForm) =>
  fetch(form.responsesUrl.replace(/responses$/, 'summary'), { headers: headersOf(form) });
const remove = (form: CreatedForm, id: string) =>
  fetch(`${form.responsesUrl}/${id}`, { method: 'DELETE', headers: headersOf(form) });
const page = async (form: CreatedForm, query = '') => (await readResponses(form, query)).json();

test('the summary counts each option and spans the numbers', async () => {
  const form = await buyForm(survey);
  const [empty] = (await (await summaryOf(form)).json()).questions.slice(1);
  expect(empty).toEqual({ id: 'n', type: 'number', label: 'How many?', answered: 0, numbers: null });
  await answer(form, { q_constructor: 'Ada', q_n: '0.1', q_food: '0', q_days: ['0', '1'] });
  await answer(form, { q_n: '0.2', q_food: 'other', o_food: 'Bread' });
  await answer(form, { q_n: '-3', q_food: '0', q_days: ['1'] });
  await answer(form, { q_n: '40' });
  const { form: described, questions } = await (await summaryOf(form)).json();
  expect(described).toMatchObject({ id: form.id, title: 'Survey', responseCount: 4, deletedCount: 0 });
  expect(questions).toEqual([
    { id: 'constructor', type: 'text', label: 'Name', answered: 1 },
    {
      id: 'n',
      type: 'number',
      label: 'How many?',
      answered: 4,
      numbers: { min: -3, median: 0.15, max: 40 },
    },
    {
      id: 'food',
      type: 'choice',
      label: 'Food',
      answered: 3,
      options: [
        { option: 'Soup', count: 2 },
        { option: 'Salad', count: 0 },
      ],
      other: 1,
    },
    {
      id: 'days',
      type: 'multi_choice',
      label: 'Days',
      answered: 2,
      options: [
        { option: 'Friday', count: 1 },
        { option: 'Sunday', count: 2 },
      ],
    },
  ]);
  // A question may have the name of a method that every object has.
  const csv = await (await readResponses(form, '?cursor=r1', { Accept: 'text/csv' })).text();
  expect(csv.split('\r\n')[1]).toMatch(/^"fr_\w+","[^"]+",,0\.2,"Bread",,,$/);
});

test('a deleted response is erased, stays counted, and is listed as deleted', async () => {
  const form = await buyForm(survey);
  for (const name of ['Ada', 'Grace', 'Mary']) await answer(form, { q_constructor: name, q_n: '1' });
  const before = await page(form);
  const [, grace] = before.responses;
  const deleted = await (await remove(form, grace.id)).json();
  expect(deleted).toEqual({ id: grace.id, deletedAt: expect.any(String) });
  // The second deletion changes nothing.
  expect(await (await remove(form, grace.id)).json()).toEqual(deleted);

  const after = await page(form);
  expect(after.form).toMatchObject({ responseCount: 3, deletedCount: 1, status: 'open' });
  expect(after.responses).toEqual([before.responses[0], before.responses[2]]);
  expect(after.deleted).toEqual([deleted]);
  expect(after.nextCursor).toBe('r3');
  const csv = (await (await readResponses(form, '', { Accept: 'text/csv' })).text()).split('\r\n');
  expect(csv).toHaveLength(5);
  expect(csv[3]).toBe(`"${grace.id}",,,,,,,"${deleted.deletedAt}"`);
  const [row] = await sql(
    'SELECT number, answers, recipient, submitted_at, deleted_at IS NOT NULL AS gone FROM form_response WHERE id = $1',
    [grace.id],
  );
  expect(row).toEqual({ number: 2, answers: null, recipient: null, submitted_at: null, gone: true });
  expect((await (await summaryOf(form)).json()).questions[0].answered).toBe(2);
});

test('deletions in parallel are counted once, and the next response gets the next number', async () => {
  const form = await buyForm(survey);
  for (const name of ['Ada', 'Grace']) await answer(form, { q_constructor: name });
  const [ada, grace] = (await page(form)).responses;
  const answers = await Promise.all([ada, ada, grace, ada, grace].map(({ id }) => remove(form, id)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await answer(form, { q_constructor: 'Mary' });
  const { form: described, responses, deleted, nextCursor } = await page(form);
  expect(described).toMatchObject({ responseCount: 3, deletedCount: 2 });
  expect(deleted.map(({ id }: { id: string }) => id)).toEqual([ada.id, grace.id]);
  expect(responses).toHaveLength(1);
  expect(nextCursor).toBe('r3');
});

test('pages have as many responses as asked for, however many between them were deleted', async () => {
  const form = await buyForm(survey);
  for (const name of ['A', 'B', 'C', 'D', 'E']) await answer(form, { q_constructor: name });
  const { responses } = await page(form);
  for (const at of [1, 2, 4]) await remove(form, responses[at].id);
  const ids = (of: { id: string }[]) => of.map(({ id }) => id);
  const first = await page(form, '?limit=1');
  const second = await page(form, `?limit=1&cursor=${first.nextCursor}`);
  const third = await page(form, `?limit=1&cursor=${second.nextCursor}`);
  expect([first, second, third].map((one) => ids(one.responses))).toEqual([
    [responses[0].id],
    [responses[3].id],
    [],
  ]);
  expect([first, second, third].map((one) => ids(one.deleted))).toEqual([
    [],
    [responses[1].id, responses[2].id],
    [responses[4].id],
  ]);
  expect(third.nextCursor).toBe('r5');
});

test('a deletion makes no room for another response', async () => {
  const form = await buyForm(survey);
  await answer(form, { q_constructor: 'Ada' });
  await sql('UPDATE form SET max_responses = 1 WHERE id = $1', [form.id]);
  await remove(form, (await page(form)).responses[0].id);
  expect((await page(form)).form).toMatchObject({ status: 'full', responseCount: 1, deletedCount: 1 });
  const late = await postPage(form.url, { q_constructor: 'Eve', stamp: stampOfAge(form.id, 5_000) });
  expect(late.status).toBe(409);
});

test('the page of a deleted response cannot be sent again, and shows no copy of it', async () => {
  const form = await buyForm(survey);
  const stamp = stampOfAge(form.id, 5_000);
  await answer(form, { q_constructor: 'Ada Lovelace' }, stamp);
  await remove(form, (await page(form)).responses[0].id);
  const again = await postPage(form.url, { q_constructor: 'Ada Lovelace', stamp });
  expect(again.status).toBe(422);
  expect((await page(form)).form).toMatchObject({ responseCount: 1, deletedCount: 1 });
  const thanks = await fetch(`${form.url}/thanks`, { headers: { Cookie: `form-copy=${stamp}` } });
  expect(thanks.status).toBe(200);
  expect(await thanks.text()).not.toContain('Lovelace');
});

test('summary and deletion need the read token of the form', async () => {
  const [form, other] = [await buyForm(survey), await buyForm(survey)];
  await answer(form, { q_constructor: 'Ada' });
  const { id } = (await page(form)).responses[0];
  const stranger = { ...form, readToken: other.readToken };
  await expectError(await fetch(`${form.responsesUrl}/${id}`, { method: 'DELETE' }), 'read_token_required');
  await expectError(await remove(stranger, id), 'read_token_wrong');
  await expectError(await summaryOf(stranger), 'read_token_wrong');
  await expectError(await remove(other, id), 'response_not_found');
  await expectError(await remove(form, 'fr_000000000000000000000000'), 'response_not_found');
  await expectError(await remove(form, 'fr_1'), 'response_not_found');
  await expectError(
    await fetch(`${stack().apiUrl}/v1/forms/fm_000000000000000000000000/summary`, {
      headers: headersOf(form),
    }),
    'form_not_found',
  );
  expect((await page(form)).form).toMatchObject({ responseCount: 1, deletedCount: 0 });
  expect((await openPage(form.url)).status).toBe(200);
});
