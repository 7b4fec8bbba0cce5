import type { Page } from '@playwright/test';
import { beginWithScript, fillIn, openAsReader, send } from '@/tests/pages/form-page';
import { sql } from '@/tests/support/database';
import { buyForm, type CreatedForm, everyType, linkTo } from '@/tests/support/forms';
import type { PageState, StatesOf } from './state';

/** Forms and the pages around them. */

const hebrew = {
  title: 'מסיבת קיץ',
  description: 'ספרו לנו עליכם. זה לוקח דקה.',
  language: 'he',
  questions: [
    { id: 'name', type: 'text', label: 'שם', required: true, maxLength: 40 },
    { id: 'mail', type: 'email', label: 'דואר אלקטרוני', required: true },
    { id: 'guests', type: 'number', label: 'אורחים', min: 0, max: 9, integer: true },
    {
      id: 'food',
      type: 'choice',
      label: 'אוכל',
      options: ['מרק', 'סלט'],
      allowOther: true,
      required: true,
    },
  ],
};

const longText =
  'A question that goes on for longer than a line has room for, even on a wide screen, and then some';

/** As many questions as a form can have, with the longest texts and a word that cannot be broken. */
const long = {
  title:
    'Everything about your journey, your family, what you like to eat, and what else we should know before you come',
  description: `${'Please take your time. '.repeat(20)}\n\n${'Wwwwwwwwww'.repeat(8)}`,
  questions: Array.from({ length: 20 }, (_, at) => {
    const label = `${at + 1}. ${longText}`;
    if (at % 4 === 0) return { id: `q${at}`, type: 'text', label, help: `${longText}.` };
    if (at % 4 === 1) return { id: `q${at}`, type: 'long_text', label, required: true };
    const options = Array.from(
      { length: at === 2 ? 50 : 5 },
      (_, nth) => `${nth + 1}. ${longText.slice(0, 20 + nth)}`,
    );
    return { id: `q${at}`, type: at % 4 === 2 ? 'choice' : 'multi_choice', label, options, allowOther: true };
  }),
};

export const formStates: StatesOf = async ({ apiUrl }) => {
  const [form, sent, closed, full, late, gone, rtl, tall] = await Promise.all(
    [everyType, everyType, everyType, everyType, everyType, everyType, hebrew, long].map((body) =>
      buyForm(body),
    ),
  );
  if (!form || !sent || !closed || !full || !late || !gone || !rtl || !tall) throw new Error('no forms');
  await close(closed);
  await sql('UPDATE form SET max_responses = 0 WHERE id = $1', [full.id]);
  await sql(
    `UPDATE form SET closes_at = now() - interval '9 days', readable_until = now() - interval '1 day' WHERE id = $1`,
    [gone.id],
  );
  const linked = await linkTo(form, {
    recipient: 'Ada Lovelace',
    answers: { name: 'Ada', mail: 'ada@example.com', food: 'Salad', days: ['Friday', 'Monday'] },
  });
  const state = (name: string, url: string, more: Partial<PageState> = {}): PageState => ({
    area: 'forms',
    name,
    url,
    isUnlisted: true,
    ...more,
  });
  return [
    state('form', form.url, { isRated: true }),
    state('form-link', linked),
    state('form-link-broken', linked.slice(0, -4)),
    state('form-problems', form.url, { lead: sendWrong }),
    state('form-filled', form.url, { lead: fillWithOwnAnswer }),
    state('form-too-long', form.url, { lead: writeTooMuch, needsScript: 'counts while one types' }),
    state('form-not-reached', form.url, {
      lead: sendWithoutConnection,
      needsScript: 'sends without leaving the page',
    }),
    state('form-hebrew', rtl.url, { isRated: true }),
    state('form-hebrew-problems', rtl.url, { lead: sendWrong }),
    state('form-long', tall.url, { isRated: true }),
    state('form-long-problems', tall.url, { lead: sendWrong }),
    state('confirmation', sent.url, { prepare: (page) => openAsReader(page, sent), lead: fillInAndSend }),
    state('confirmation-without-copy', `${sent.url}/thanks`, { isRated: true }),
    state('closed', closed.url, { isRated: true }),
    state('closed-meanwhile', late.url, {
      prepare: () => sql("UPDATE form SET closes_at = now() + interval '1 day' WHERE id = $1", [late.id]),
      lead: (page) => closeMeanwhile(page, late),
    }),
    state('full', full.url, { isRated: true }),
    state('gone', gone.url),
    state('missing', `${apiUrl}/f/fm_${'0'.repeat(24)}`),
    state('report-form', `${form.url}/report`, { isRated: true }),
    state('report-form-problem', `${form.url}/report`, { lead: sendWrong }),
    state('report-form-sent', `${form.url}/report`, { lead: reportFirstReason }),
  ];
};

const close = ({ id }: CreatedForm) =>
  sql(`UPDATE form SET closes_at = now() - interval '1 second' WHERE id = $1`, [id]);

/** Submits invalid input with the last button on the page, and waits until the page reports the error. */
export async function sendWrong(page: Page): Promise<void> {
  await page.getByRole('button').last().click();
  await page.getByRole('alert').waitFor();
}

export async function reportFirstReason(page: Page): Promise<void> {
  await page.getByRole('radio').first().check();
  await page.getByRole('button').last().click();
  await page.getByRole('heading', { name: 'Your report was sent' }).waitFor();
}

async function fillWithOwnAnswer(page: Page): Promise<void> {
  await fillIn(page);
  await page.getByRole('group', { name: 'Food' }).getByLabel('Other', { exact: true }).check();
}

async function writeTooMuch(page: Page): Promise<void> {
  await beginWithScript(page);
  // A key press as if typing, so that the field grows with its content.
  await page.getByLabel('Your story').press('O');
  await page.getByLabel('Your story').fill('Once upon a time. '.repeat(400));
}

async function sendWithoutConnection(page: Page): Promise<void> {
  await beginWithScript(page);
  await fillIn(page);
  await page.route(page.url(), (route) => route.abort());
  await send(page);
  await page.getByRole('alert').waitFor();
}

async function fillInAndSend(page: Page): Promise<void> {
  await fillIn(page);
  await send(page);
  await page.waitForURL(/thanks$/);
}

async function closeMeanwhile(page: Page, form: CreatedForm): Promise<void> {
  await fillIn(page);
  await close(form);
  await send(page);
  await page.getByRole('heading', { name: 'This form is closed' }).waitFor();
}
