import { expect, test } from '@playwright/test';
import { sql } from '../support/database';
import { buyForm, everyType, linkTo, readResponses } from '../support/forms';
import { fullOnly } from '../support/tiers';
import { beginWithScript, expectThanks, filledIn, fillIn, openAsReader, send } from './form-page';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled });

    test('every type of question is answered', async ({ page }) => {
      const form = await buyForm({ ...everyType, thankYou: 'See you there.' });
      await openAsReader(page, form);
      if (javaScriptEnabled) await beginWithScript(page);
      await fillIn(page);
      await send(page);
      await expectThanks(page);
      await expect(page.getByText('See you there.')).toBeVisible();
      await expect(page.getByText(/^fr_/)).toBeVisible();
      await expect(page.getByRole('definition')).toContainText([
        /\sUTC$/,
        'Ada',
        'Once upon a time.',
        'ada@example.com',
        '2',
        'Salad',
        'Friday, Monday',
      ]);
      const { responses } = await (await readResponses(form)).json();
      expect(responses.map(({ answers }: { answers: object }) => answers)).toEqual([filledIn]);
    });

    test('a link fills the form in for its recipient, who changes an answer and sends it', async ({
      page,
    }) => {
      const form = await buyForm();
      const { story, ...answers } = filledIn;
      const url = await linkTo(form, { recipient: 'Ada', answers });
      await openAsReader(page, { ...form, url });
      if (javaScriptEnabled) await beginWithScript(page);
      await expect(
        page.getByText('This link is for Ada. Your answers are sent under this name.'),
      ).toBeVisible();
      await expect(page.getByText('Some answers were filled in for you.')).toBeVisible();
      await expect(page.getByRole('group', { name: 'Food' }).getByLabel('Salad')).toBeChecked();
      const days = page.getByRole('group', { name: 'Days' });
      await expect(days.getByLabel('Your own answer')).toHaveValue('Monday');
      await page.getByLabel('Your name').fill('');
      await send(page);
      await expect(page.getByRole('alert')).toBeFocused();
      await page.getByLabel('Your name').fill('Ada L.');
      await page.getByLabel('Your story').fill(story);
      await send(page);
      await expectThanks(page);
      const { responses } = await (await readResponses(form)).json();
      expect(responses).toEqual([
        expect.objectContaining({ recipient: 'Ada', answers: { ...filledIn, name: 'Ada L.' } }),
      ]);
    });

    test('the form lists problems with links to the fields, and nothing is lost', async ({ page }) => {
      const form = await buyForm();
      await openAsReader(page, form);
      if (javaScriptEnabled) await beginWithScript(page);
      await fillIn(page);
      await page.getByLabel('Your name').fill('');
      await page.getByLabel('Your email').fill('ada');
      await page.getByLabel('Guests').fill('2.5');
      await page.getByRole('group', { name: 'Days' }).getByLabel('Sunday').check();
      await send(page);
      const summary = page.getByRole('alert');
      await expect(summary).toBeFocused();
      await expect(page.getByRole('main').locator(':scope :is(h1, h2)')).toHaveText([
        'There is a problem',
        'Summer party',
      ]);
      await expect(summary.getByRole('link')).toHaveText([
        '“Your name” is required',
        '“Your email” must be an email address in the correct format',
        '“Guests” must be a whole number',
        'Select no more than 2 for “Days”',
      ]);
      await expect(page).toHaveTitle('Error: Summer party');
      await expect(page.getByLabel('Your story')).toHaveValue(filledIn.story);
      await expect(page.getByLabel('Guests')).toHaveValue('2.5');
      await expect(page.getByLabel('Guests')).toHaveAccessibleDescription(
        'A whole number from 0 to 9 Error: “Guests” must be a whole number',
      );
      await expect(page.getByRole('group', { name: 'Food' }).getByLabel('Salad')).toBeChecked();
      await summary.getByRole('link', { name: 'Guests' }).click();
      await expect(page.getByLabel('Guests')).toBeFocused();
      await page.getByLabel('Guests').fill('2');
      await page.getByLabel('Your name').fill('Ada');
      await page.getByLabel('Your email').fill('ada@example.com');
      await page.getByRole('group', { name: 'Days' }).getByLabel('Sunday').uncheck();
      await send(page);
      await expectThanks(page);
      const { responses } = await (await readResponses(form)).json();
      expect(responses[0].answers).toEqual(filledIn);
    });

    test('a form that closed meanwhile says so, and shows what was filled in', async ({ page }) => {
      const form = await buyForm();
      await openAsReader(page, form);
      if (javaScriptEnabled) await beginWithScript(page);
      await fillIn(page);
      await sql(`UPDATE form SET closes_at = now() - interval '1 second' WHERE id = $1`, [form.id]);
      await send(page);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('This form is closed');
      await expect(page.getByText('contact the person who gave you the link')).toBeVisible();
      await expect(page.getByText('Once upon a time.')).toBeVisible();
      await expect(page.getByText('Friday, Monday')).toBeVisible();
    });
  });
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(
    javaScriptEnabled ? 'the own answer, with a script' : 'the own answer, without a script',
    () => {
      test.use({ javaScriptEnabled });

      test('opens with its option, stays open while it holds a text, and is never dropped', async ({
        page,
      }) => {
        const form = await buyForm();
        await openAsReader(page, form);
        if (javaScriptEnabled) await beginWithScript(page);
        await fillIn(page);
        const food = page.getByRole('group', { name: 'Food' });
        const own = food.getByLabel('Your own answer');
        await expect(own).toBeHidden();
        await food.getByLabel('Other', { exact: true }).check();
        await own.fill('Cake');
        await food.getByLabel('Salad').check();
        await expect(own).toBeVisible();
        await send(page);
        await expect(page.getByRole('alert').getByRole('link')).toHaveText([
          'Select “Other” for “Food”, or clear your own answer',
        ]);
        await page.getByRole('alert').getByRole('link').click();
        await expect(own).toBeFocused();
        await food.getByLabel('Other', { exact: true }).check();
        await send(page);
        await expectThanks(page);
        const { responses } = await (await readResponses(form)).json();
        expect(responses[0].answers.food).toBe('Cake');
      });
    },
  );
}

test(
  'the characters that are left are counted as the server does once most are used, and spoken when typing pauses',
  fullOnly,
  async ({ page }) => {
    const form = await buyForm({
      title: 'Story',
      questions: [
        { type: 'text', label: 'Your name' },
        { type: 'long_text', label: 'Your story', maxLength: 10 },
      ],
    });
    await page.goto(form.url);
    const story = page.getByLabel('Your story');
    await expect(story).toHaveAccessibleDescription('Up to 10 characters');
    await beginWithScript(page);
    // An emoji is two code units, and spaces at either end do not count.
    await story.fill(' Hi all 👋 ');
    await expect(story).toHaveAccessibleDescription('Up to 10 characters You have 1 character remaining');
    await expect(page.locator('[aria-live]')).toHaveText('You have 1 character remaining');
    await story.fill('Once upon a');
    await expect(story).toHaveAccessibleDescription('Up to 10 characters You have 1 character too many');
    await story.fill('Once');
    await expect(story).toHaveAccessibleDescription('Up to 10 characters');
  },
);

test('a field for numbers is as wide as they are, and dates are written as where the form is from', async ({
  page,
}) => {
  const form = await buyForm({
    title: 'Numbers',
    language: 'en-GB',
    questions: [
      { type: 'number', label: 'Small', min: 1, max: 20, integer: true },
      { type: 'number', label: 'Any' },
    ],
  });
  await page.goto(form.url);
  const [small, any] = [
    await page.getByLabel('Small').boundingBox(),
    await page.getByLabel('Any').boundingBox(),
  ];
  expect(small?.width).toBeLessThan(100);
  expect(any?.width).toBeGreaterThan(small?.width ?? 0);
  const until = page.getByText('Open until').locator('time');
  await expect(until).toHaveAttribute('datetime', new Date(form.closesAt).toISOString());
  await expect(until).toHaveText(/^\d{1,2} [A-Z][a-z]+ 2\d{3}.*\sUTC$/);
});

test(
  'a link in the summary of problems shows the label and the message of its field',
  fullOnly,
  async ({ page }) => {
    const form = await buyForm();
    await page.setViewportSize({ width: 390, height: 700 });
    await page.goto(form.url);
    await send(page);
    for (const [problem, label, message] of [
      ['“Your email” is required', 'Your email', 'This question is required'],
      ['Select an answer to “Food”', 'Food', 'Select an answer to “Food”'],
    ] as const) {
      await page.getByRole('alert').getByRole('link', { name: problem }).click();
      await expect(page.locator('.field > :is(label, legend)', { hasText: label })).toBeInViewport({
        ratio: 1,
      });
      const field = page.locator('.field', { hasText: label });
      await expect(field.getByText(message)).toBeInViewport({ ratio: 1 });
    }
  },
);

test.describe('in New York', () => {
  test.use({ timezoneId: 'America/New_York' });

  test('times are those of the reader, also after the script of the form has loaded', async ({ page }) => {
    const form = await buyForm();
    await page.goto(form.url);
    const until = page.getByText('Open until').locator('time');
    await expect(until).toHaveText(/\sE[SD]T$/);
    await beginWithScript(page);
    await expect(until).toHaveText(/\sE[SD]T$/);
  });
});

test('only the browser that sent answers is told that they were sent', async ({ page }) => {
  const form = await buyForm();
  await page.goto(`${form.url}/thanks`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('We cannot show your answers here');
  await page.getByRole('link', { name: 'Back to the form' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Summer party');
});

test('only pages that ask for answers warn of the agent, and say who gets the answers', async ({ page }) => {
  const form = await buyForm();
  const warning = page.getByText('An AI agent made this form.');
  const receiver = page.getByText('Your answers go to the agent');
  await page.goto(form.url);
  await expect(warning).toBeVisible();
  await expect(receiver).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(warning, 'a blank form on paper').toBeVisible();
  await page.emulateMedia({ media: 'screen' });
  for (const url of [`${form.url}/report`, `${form.url.slice(0, -1)}_`]) {
    await page.goto(url);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(warning).toBeHidden();
    await expect(receiver).toBeHidden();
  }
});

test('a person who presses the button twice sends once', async ({ page }) => {
  const form = await buyForm();
  await openAsReader(page, form);
  await beginWithScript(page);
  await fillIn(page);
  await page.getByRole('button', { name: 'Send' }).dblclick();
  await expectThanks(page);
  expect((await (await readResponses(form)).json()).responses).toHaveLength(1);
});

test('a post that is too fast is asked to try again, and keeps its answers', fullOnly, async ({ page }) => {
  const form = await buyForm({ title: 'Short', questions: [{ type: 'text', label: 'Your name' }] });
  await page.route(form.url, (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 422, json: { problems: [], notice: 'again', stamp: 'x' } })
      : route.fallback(),
  );
  await page.goto(form.url);
  await beginWithScript(page);
  await page.getByLabel('Your name').fill('Ada');
  await send(page);
  await expect(page.getByRole('alert')).toContainText('Your answers have not been sent yet');
  await expect(page.getByLabel('Your name')).toHaveValue('Ada');
});

test('without a connection the answers stay, and are sent when it is back', fullOnly, async ({ page }) => {
  const form = await buyForm();
  await openAsReader(page, form);
  await beginWithScript(page);
  await fillIn(page);
  await page.route(form.url, (route) => route.abort(), { times: 1 });
  await send(page);
  await expect(page.getByRole('alert')).toContainText('could not be reached');
  await expect(page.getByLabel('Your name')).toHaveValue('Ada');
  await send(page);
  await expectThanks(page);
});

test('a person who is faster than the script posts without it', fullOnly, async ({ page }) => {
  const form = await buyForm();
  await page.route('**/f/assets/main-*.js', (route) => route.abort());
  await openAsReader(page, form);
  await fillIn(page);
  await send(page);
  await expectThanks(page);
  expect((await (await readResponses(form)).json()).responses).toHaveLength(1);
});

test('text typed before the script loads stays', fullOnly, async ({ page }) => {
  const form = await buyForm();
  let letScriptCome = () => {};
  const isTyped = new Promise<void>((resolve) => {
    letScriptCome = resolve;
  });
  await page.route('**/f/assets/main-*.js', async (route) => {
    await isTyped;
    await route.fallback();
  });
  await page.route(form.url, (route) => route.fallback());
  await page.goto(form.url, { waitUntil: 'commit' });
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('group', { name: 'Food' }).getByLabel('Salad').check();
  letScriptCome();
  await beginWithScript(page);
  await send(page);
  // Checked in the browser: only the email is missing.
  await expect(page.getByRole('alert').getByRole('link')).toHaveText(['“Your email” is required']);
  await expect(page.getByLabel('Your name')).toHaveValue('Ada');
});

test(
  'a page loads nothing from elsewhere and has less than 10 kB, or 100 kB with its script, and a typeface',
  fullOnly,
  async ({ page }) => {
    const form = await buyForm();
    const sizes: number[] = [];
    const typefaceSizes: number[] = [];
    const origins = new Set<string>();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => errors.push(message.text()));
    page.on('requestfinished', async (request) => {
      if (request.url().startsWith('data:')) return;
      origins.add(new URL(request.url()).origin);
      const { responseBodySize, responseHeadersSize } = await request.sizes();
      const list = request.resourceType() === 'font' ? typefaceSizes : sizes;
      list.push(responseBodySize + responseHeadersSize);
    });
    await page.goto(form.url, { waitUntil: 'networkidle' });
    expect(sizes).toHaveLength(3);
    expect(typefaceSizes).toHaveLength(1);
    expect(typefaceSizes[0]).toBeLessThan(25_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(10_000);
    await beginWithScript(page);
    expect(errors).toEqual([]);
    expect([...origins]).toEqual([new URL(form.url).origin]);
    await expect.poll(() => sizes.length).toBe(4);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
  },
);
