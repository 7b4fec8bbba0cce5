import { expect, test } from '@playwright/test';
import { errors } from '@/lib/catalog/errors/codes';
import { stack } from '../support/stack';
import { expectAccessible, withAxe } from './accessible';

/** The layout of the documentation and its search. */

const at = (pathname: string) => stack().apiUrl + pathname;

test('the documentation is searched by page, without a script', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(at('/terms'));
  await page.getByRole('searchbox').fill('rate_limited');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status')).toContainText('for “rate_limited”');
  const first = page.locator('.docs-results li').first();
  await expect(first.getByRole('link')).toHaveAttribute('href', '/docs/errors#rate_limited');
  await page.goto(at('/docs/search?q=%3Cimg%20src%3Dx%3E'));
  await expect(page.getByRole('main').locator('img')).toHaveCount(0);
  await context.close();
});

test('a search finds calls, guides and headings, tolerates typos, and names the field that is too long', async () => {
  const search = async (query: string) => {
    const answer = await fetch(at(`/docs/search?q=${encodeURIComponent(query)}`), {
      headers: { Accept: 'application/json' },
    });
    const { results, total, problem } = await answer.json();
    // No cell of a table ends with a space before its period.
    expect(JSON.stringify(results)).not.toMatch(/\w \. /);
    return { status: answer.status, problem, total, paths: results.map((one: { path: string }) => one.path) };
  };
  for (const [query, path] of [
    ['contract wallets', '/docs/paying-with-x402#contract-wallets'],
    ['prepaid acounts', '/docs/prepaid-accounts'],
    ['top up', '/docs/prepaid-accounts#view-an-account'],
    ['upload', '/docs/reference/files/uploads.create'],
    ['/v1/render/pdf', '/docs/reference/render/render.pdf'],
  ] as const)
    expect((await search(query)).paths, query).toContain(path);
  expect(await search('qqqqqq')).toEqual({ status: 200, problem: null, total: 0, paths: [] });
  expect(await search('a'.repeat(201))).toEqual({
    status: 400,
    problem: 'q must have 200 characters or fewer.',
    total: 0,
    paths: [],
  });
});

test('a search finds calls first, then guides, and an error first by its code', async () => {
  for (const [query, first] of [
    ['uplod', '/docs/reference/files/'],
    ['create form', '/docs/reference/forms/forms.create'],
    ['rendr pdf', '/docs/reference/render/render.pdf'],
    ['flight', '/docs/reference/flights/flights.'],
    ['receipt', '/docs/reference/discovery/paid-calls.receipt'],
    ['limits', '/docs/limits'],
    ['usdc', '/docs/wallet'],
    ['rate_limited', '/docs/errors#rate_limited'],
    ['Rate_Limited', '/docs/errors#rate_limited'],
    ['settlement unknown', '/docs/errors#settlement_unknown'],
  ] as const) {
    const answer = await fetch(at(`/docs/search?q=${encodeURIComponent(query)}`), {
      headers: { Accept: 'application/json' },
    });
    const { results } = (await answer.json()) as { results: { path: string }[] };
    expect(results[0]?.path, query).toContain(first);
  }
});

test('a search says how many results there are, also when it shows only the best of them', async ({
  page,
}) => {
  for (const [query, count] of [
    ['receipts', /^The 20 best of \d{2,} results for “receipts”$/],
    ['settlement_unknown', /^\d+ results for “settlement_unknown”$/],
  ] as const) {
    await page.goto(at(`/docs/search?q=${query}`));
    const { results, total } = await (
      await fetch(at(`/docs/search?q=${query}`), { headers: { Accept: 'application/json' } })
    ).json();
    await expect(page.getByRole('status').first()).toHaveText(count);
    await expect(page.getByRole('status').first()).toContainText(String(total));
    await expect(page.locator('.docs-results li')).toHaveCount(results.length);
  }
});

test('a search for a refund leads callers to the terms and marks the word, and pages for operators do not come first', async ({
  page,
}) => {
  await page.goto(at('/docs/search?q=refund'));
  const groups = await page.locator('main section > h2').allTextContents();
  expect(groups).toContain('Terms and policies');
  expect(groups[0]).not.toBe('Self-hosting');
  const terms = page.getByRole('region', { name: 'Terms and policies' });
  await expect(terms.getByRole('link', { name: 'Refunds' })).toHaveAttribute('href', '/terms#refunds');
  await expect(terms.locator('mark').first()).toHaveText(/^refund/i);
});

test('a key opens the search, and arrow keys lead to a result', async ({ page }) => {
  await withAxe(page);
  await page.goto(at('/docs'));
  // The script sets this placeholder as soon as it is listening.
  await page.getByPlaceholder('Search  /').waitFor();
  for (const key of ['Control+k', '/']) {
    await page.keyboard.press(key);
    const dialog = page.getByRole('dialog', { name: 'Search the documentation' });
    await expect(dialog.getByRole('searchbox')).toBeFocused();
    if (key !== '/') {
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
    } else {
      await page.keyboard.type('signed receipts');
      await expect(dialog.getByRole('status')).toContainText('result');
      await expectAccessible(page);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      await expect(dialog.getByRole('searchbox')).toBeFocused();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(at('/docs/receipts'));
    }
  }
});

test('on every page of the documentation, the sidebar and the header show where the reader is', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const [path, area] of [
    ['/docs/payments', 'Docs'],
    ['/docs/mcp', 'Docs'],
    ['/docs/errors', 'Reference'],
    ['/docs/reference/wallet/wallet.calls', 'Reference'],
    ['/docs/reference/discovery/tools.check', 'Reference'],
    ['/docs/status', 'Status'],
    ['/docs/incidents/treasury', 'Docs'],
    ['/docs/decisions/wallet-lists', 'Docs'],
  ] as const) {
    await page.goto(at(path));
    const current = page.locator('.docs-sidebar [aria-current="page"]');
    await expect(current, path).toHaveAttribute('href', path);
    await expect(current, path).toBeInViewport({ ratio: 1 });
    const main = page.getByRole('navigation', { name: 'Main' });
    await expect(main.locator('li [aria-current]'), path).toHaveText(area);
  }
});

test('the sidebar marks the page, and previous and next follow its order', async ({ page }) => {
  await page.goto(at('/docs/uploads'));
  const sidebar = page.getByRole('navigation', { name: 'Documentation' });
  await expect(sidebar.locator('[aria-current="page"]')).toHaveText('Uploads');
  const links = await sidebar.getByRole('link').allTextContents();
  const next = page.getByRole('navigation', { name: 'Previous and next' }).locator('[rel="next"]');
  await expect(next).toContainText(links[links.indexOf('Uploads') + 1] ?? 'nothing');
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText('Services');
});

test('on a phone the sidebar and the contents are folded, and unfold without a script', async ({
  browser,
}) => {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 390, height: 800 },
  });
  const page = await context.newPage();
  await page.goto(at('/docs/uploads'));
  const sidebar = page.getByRole('navigation', { name: 'Documentation' });
  await expect(sidebar).toBeHidden();
  await page.getByText('All pages').click();
  await expect(sidebar.getByRole('link', { name: 'Limits' })).toBeHidden();
  await sidebar.getByText('Concepts').click();
  await expect(sidebar.getByRole('link', { name: 'Limits' })).toBeVisible();
  const contents = page.getByRole('navigation', { name: 'On this page' });
  await expect(contents).toBeHidden();
  await page.getByText('On this page').click();
  await contents.getByRole('link').first().click();
  await expect(page).toHaveURL(/\/docs\/uploads#.+/);
  await context.close();
});

test('every heading of a guide has a link to itself', async ({ page }) => {
  await page.goto(at('/docs/uploads'));
  const headings = page.locator('.docs-text :is(h2, h3)');
  for (const heading of await headings.all()) {
    const link = page.getByRole('link', { name: `Link to “${await heading.textContent()}”`, exact: true });
    await expect(link).toHaveAttribute('href', `#${await heading.getAttribute('id')}`);
  }
  expect(await headings.count()).toBeGreaterThan(1);
});

test('every page of both sidebars exists as Markdown too, and the overviews list their sections', async ({
  page,
}) => {
  const all: string[] = [];
  for (const overview of ['/docs', '/docs/self-hosting']) {
    await page.goto(at(overview));
    const menu = page.locator('.docs-menu nav');
    const paths = await menu
      .locator('a:not(.other)')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    const sections = await menu.locator('summary').allTextContents();
    expect(await page.locator('main h2').allTextContents()).toEqual(sections);
    const listed = await (await fetch(at(`${overview}.md`))).text();
    for (const path of paths.slice(1)) expect(listed).toContain(`(${at(path)}.md): `);
    all.push(...paths);
  }
  expect(all.length).toBeGreaterThan(60);
  for (const path of [...all, '/docs/reference/common', '/docs/reference/files/uploads.create']) {
    const answer = await fetch(at(`${path}.md`));
    expect(`${path}: ${answer.status} ${answer.headers.get('content-type')}`).toBe(
      `${path}: 200 text/markdown; charset=utf-8`,
    );
    expect(await answer.text(), path).toMatch(/^# \S/);
  }
});

test('output of programs is labeled and has no copy button, and other buttons say what they copy', async ({
  page,
}) => {
  await page.goto(at('/docs/getting-started'));
  await expect(page.locator('.output').first()).toContainText('Output');
  await expect(page.locator('.output button')).toHaveCount(0);
  const buttons = page.locator('main .sample button');
  const names = await buttons.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  expect(names.length).toBeGreaterThan(3);
  expect(new Set(names).size).toBe(names.length);
  // Above the code, which it would cover otherwise.
  for (const button of await buttons.all()) {
    const edges = await button.evaluate((one) => [
      one.getBoundingClientRect().bottom,
      one.parentElement?.querySelector('pre')?.getBoundingClientRect().top ?? 0,
    ]);
    expect(edges[0]).toBeLessThanOrEqual(edges[1] ?? 0);
  }
});

test('the page is copied as Markdown', async ({ page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(at('/docs/uploads'));
  await page.getByRole('button', { name: 'Copy page' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^# Uploads\n/);
});

test('the page of the part for uploads has become that of all calls for files', async ({ page }) => {
  await page.goto(at('/docs/reference/upload#uploads.create'));
  await expect(page).toHaveURL(at('/docs/reference/files#uploads.create'));
  const sitemap = await (await fetch(at('/sitemap.xml'))).text();
  const places = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = '']) => new URL(url).pathname);
  expect(places).not.toContain('/docs/reference/upload');
  for (const path of ['/receipts', '/docs/status', '/docs/changelog']) expect(places).toContain(path);
  const titles = await Promise.all(
    places.map(
      async (path) =>
        /<title>(.*)<\/title>/.exec(
          await (await fetch(at(path), { headers: { Accept: 'text/html' } })).text(),
        )?.[1],
    ),
  );
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

test('a path without a page suggests the closest one, and keeps the sidebar in the documentation', async ({
  page,
}) => {
  const answer = await page.goto(at('/docs/getting-startd'));
  expect(answer?.status()).toBe(404);
  await expect(page.getByText('Did you mean Getting started?').getByRole('link')).toHaveAttribute(
    'href',
    '/docs/getting-started',
  );
  await expect(page.getByRole('navigation', { name: 'Documentation' })).toBeVisible();
  await page.goto(at('/docs/payment'));
  await expect(page.getByText('Did you mean').getByRole('link')).toHaveAttribute('href', '/docs/payments');
  await page.goto(at('/qqqqqq'));
  await expect(page.getByRole('main')).not.toContainText('Did you mean');
  await page.getByRole('main').getByRole('searchbox').fill('receipts');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(at('/docs/search?q=receipts'));
});

test('the groups of the sidebar are in the order of the reference', async ({ page }) => {
  await page.goto(at('/docs/reference'));
  const sidebar = page.getByRole('navigation', { name: 'Documentation' });
  const entries = await sidebar.locator('details[open] a').allTextContents();
  const groups = await page.locator('main h2').allTextContents();
  expect(entries).toEqual(['All calls', 'Common to all calls', ...groups, 'Errors', 'Discovery']);
});

test('every error code says why it happens, what it means for the money and what to do, also as Markdown', async ({
  page,
}) => {
  await page.goto(at('/docs/errors'));
  const markdown = await (await fetch(at('/docs/errors.md'))).text();
  for (const [code, { cause, message }] of Object.entries(errors)) {
    const row = page.locator(`[id="${code}"]`);
    await expect(row).toContainText(message.replace(' Nothing was charged.', ''));
    await expect(row).toContainText(cause.replaceAll('`', ''));
    expect(markdown).toContain(cause);
  }
  await expect(page.getByRole('main')).toContainText('Nothing was charged unless');
  const tables = page.getByRole('region', { name: /^Errors: / });
  await expect(tables.getByText(/Nothing was charged\./)).toHaveCount(0);
  const contents = page.getByRole('navigation', { name: 'On this page' });
  await page.getByText('On this page', { exact: true }).click();
  await contents.getByRole('link', { name: 'Uploads and links' }).click();
  await expect(page.getByRole('heading', { name: 'Uploads and links' })).toBeInViewport();
});

test('the table of errors is narrowed to a code or a word, and a link to another error shows all again', async ({
  page,
}) => {
  await page.goto(at('/docs/errors'));
  const rows = page.getByRole('main').locator('tbody tr:visible');
  const all = await rows.count();
  await page.getByLabel('Find an error by its code or a word').fill('idempotency key');
  await expect(page.locator('tr[id="idempotency_conflict"]')).toBeVisible();
  await expect(page.locator('tr[id="upload_not_found"]')).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Retries' })).toBeHidden();
  await expect(page.locator('.row-filter').getByRole('status')).toHaveText(
    `${await rows.count()} of ${all} errors`,
  );
  await page.evaluate("location.hash = 'upload_not_found'");
  await expect(page.locator('tr[id="upload_not_found"]')).toBeInViewport();
  await expect(rows).toHaveCount(all);
});

test('on a phone, a page of the documentation begins in the upper quarter of the window', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ['/docs/getting-started', '/docs/reference/forms/forms.create', '/docs/errors']) {
    await page.goto(at(path));
    const title = await page.getByRole('heading', { level: 1 }).boundingBox();
    expect(title?.y, path).toBeLessThan(844 / 4);
  }
});

test('the logo stays where it is between the front page and the documentation', async ({ page }) => {
  await page.setViewportSize({ width: 1920, height: 1000 });
  const places: (number | undefined)[] = [];
  for (const path of ['/', '/docs/payments', '/docs/reference/forms/forms.create', '/simulator', '/terms']) {
    await page.goto(at(path));
    const logo = page.getByRole('navigation', { name: 'Main' }).getByRole('link').first();
    places.push((await logo.boundingBox())?.x);
  }
  expect(new Set(places).size).toBe(1);
});

test('the changelog has dated sections for callers and then for operators, with one sentence per change', async ({
  page,
}) => {
  await page.goto(at('/docs/changelog'));
  expect(await page.locator('main h2').allTextContents()).toEqual(['For callers', 'For operators']);
  await expect(page.getByRole('navigation', { name: 'On this page' })).not.toContainText('(operators)');
  const days = (await page.locator('main h3').allTextContents()).map((title) => title.split(' (operators)'));
  const times = days.map(([day = '', others]) => [others === undefined, Date.parse(day)] as const);
  for (const ofCallers of [true, false]) {
    const own = times.filter(([isOfCallers]) => isOfCallers === ofCallers).map(([, time]) => time);
    expect(own.length).toBeGreaterThan(2);
    expect(own).toEqual(own.toSorted((one, other) => other - one));
  }
  for (const change of await page.locator('main div > ul > li').allTextContents())
    expect(change).toMatch(/^[^.!]{10,}(\.[a-z][^.!]*|\d\.\d[^.!]*)*\.$/);
});

test('a page that has a file links to it where the operator says that it can be edited', async ({ page }) => {
  await page.goto(at('/docs/uploads'));
  const edit = page.getByRole('link', { name: 'Edit this page' });
  await expect(edit).toHaveAttribute('href', 'https://git.example.com/tuppence/edit/main/docs/uploads.md');
  await page.goto(at('/docs/errors'));
  await expect(page.getByRole('link', { name: 'View as Markdown' })).toBeVisible();
  await expect(edit).toHaveCount(0);
  await page.goto(at('/'));
  await expect(page.getByRole('link', { name: 'Source code' })).toHaveAttribute(
    'href',
    'https://git.example.com/tuppence',
  );
});

test('on a phone the tables of a guide are stacked instead of scrolling sideways', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  for (const path of ['/docs/getting-started', '/docs/limits']) {
    await page.goto(at(path));
    for (const table of await page.locator('main .scroll').all())
      expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth), path).toBe(0);
    await expect(page.locator('main td').first()).toHaveAttribute('data-title', /\S/);
  }
});
