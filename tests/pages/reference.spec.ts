import { expect, type Page, test } from '@playwright/test';
import { z } from 'zod';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation } from '@/lib/catalog/operation';
import { commonPath, everything, parts, referencePath } from '@/lib/discovery/contents';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expectAccessible, withAxe } from './accessible';

/** The reference: a page for each operation, with everything that the catalog says about it. */

const at = (pathname: string) => stack().apiUrl + pathname;

const all: readonly (Operation | FreeOperation)[] = [...everything.operations, ...everything.freeOperations];

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
}

/** Every field of a schema and the fields within it: `questions`, `questions.label`. */
function fieldsOf(schema: JsonSchema): string[] {
  const { properties = {}, items, anyOf = [], oneOf = [], additionalProperties } = schema;
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      name,
      ...fieldsOf(field).map((inner) => `${name}.${inner}`),
    ]),
    ...[items, values, ...anyOf, ...oneOf].flatMap((one) => (one ? fieldsOf(one) : [])),
  ];
}

/** The anchors of all fields that an operation takes and returns. */
function anchorsOf(operation: Operation | FreeOperation): string[] {
  const schemas = [
    ['path', operation.params, 'input'],
    ['query', 'query' in operation ? operation.query : undefined, 'input'],
    ['body', 'takesBody' in operation && operation.takesBody ? operation.body : undefined, 'input'],
    ['response', operation.output, 'output'],
  ] as const;
  const anchors = schemas.flatMap(([place, schema, io]) => {
    if (schema === undefined) return [];
    const json = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;
    return fieldsOf(json).map((field) => `${place}.${field}`);
  });
  return [...new Set(anchors)].sort();
}

/** The content of a page, read in one call, because each query would be a round trip to the browser. */
function read(page: Page) {
  return page.evaluate(() => {
    const textOf = (one: Element | null | undefined) => one?.textContent?.trim() ?? '';
    const elements = <T>(selector: string, of: (one: Element) => T) =>
      [...document.querySelectorAll(selector)].map(of);
    const fields = elements('.parameter[id]', (one) => ({
      anchor: one.id,
      type: textOf(one.querySelector('.type')),
      meaning: textOf(one.querySelector(':scope > dd > p:not(.rules)')),
    }));
    return {
      height: document.documentElement.scrollHeight,
      title: textOf(document.querySelector('h1')),
      endpoint: textOf(document.querySelector('.endpoint code')),
      otherPaths: elements('.rails code', textOf),
      price: textOf(document.querySelector('.price-line')),
      fields,
      errors: elements('#errors ~ * tbody tr', (row) => ({
        link: row.querySelector('a')?.getAttribute('href'),
        cells: [...row.querySelectorAll('td')].map(textOf),
      })),
      tried: document.querySelector('.try form > .hint code')?.textContent,
      samples: elements('.call-samples .sample', (one) => one.getAttribute('aria-label')),
    };
  });
}

test.describe('1280 pixels wide', () => {
  test.use({ viewport: { width: 1280, height: 800 } });

  test(
    'every operation has a page below 5,000 pixels with its paths, price, fields, errors and "Try it"',
    fullOnly,
    async ({ page }) => {
      const titles = new Set<string>();
      const silent: string[] = [];
      for (const operation of all) {
        const where = referencePath(operation);
        await page.goto(at(where));
        const shown = await read(page);
        titles.add(shown.title);
        expect(shown.height, where).toBeLessThan(5_000);
        const [path, ...others] = 'paths' in operation ? Object.values(operation.paths) : [operation.path];
        expect(shown.endpoint, where).toBe(`${operation.method} ${path}`);
        expect(shown.otherPaths, where).toEqual(others);
        expect(shown.price, where).toContain('price' in operation ? operation.price : 'Free');
        expect(shown.fields.map(({ anchor }) => anchor).sort(), where).toEqual(anchorsOf(operation));
        for (const { anchor, type } of shown.fields) expect(type, `${where} ${anchor}`).not.toBe('');
        silent.push(
          ...shown.fields.flatMap(({ anchor, meaning }) =>
            meaning === '' ? `${operation.id} ${anchor}` : [],
          ),
        );
        expect(shown.tried, where).toEqual(
          'paths' in operation ? `${operation.method} ${operation.paths.x402}` : undefined,
        );
        const codes = operation.errors.map((code) => `/docs/errors#${code}`);
        expect(
          shown.errors.map(({ link }) => link),
          where,
        ).toEqual(expect.arrayContaining(codes));
        for (const { cells } of shown.errors) expect(cells.filter(Boolean), where).toHaveLength(3);
        expect(shown.samples, where).toEqual(
          expect.arrayContaining(['Request with curl', 'Request with TypeScript', 'Example response']),
        );
      }
      expect(titles.size).toBe(all.length);
      expect(silent, 'fields that do not say what they mean').toEqual([]);
    },
  );

  test('index, groups and the page about all calls are below 3,100 pixels, and lead to every operation', async ({
    page,
  }) => {
    const groups = Object.keys(parts).map((name) => `/docs/reference/${name}`);
    for (const where of ['/docs/reference', commonPath, ...groups]) {
      await page.goto(at(where));
      expect((await read(page)).height, where).toBeLessThan(3_100);
    }
    await page.goto(at('/docs/reference'));
    const links = await page
      .locator('.calls a')
      .evaluateAll((found) => found.map((link) => link.getAttribute('href')));
    expect(links.sort()).toEqual(all.map(referencePath).sort());
  });
});

test('pages of the reference are accessible with all their fields open', fullOnly, async ({ page }) => {
  await withAxe(page);
  for (const name of [
    'common',
    'forms/forms.create',
    'proxy/neural.search',
    'flights/flights.offer',
    'discovery/tools.check',
    'wallet/wallet.calls',
  ]) {
    await page.goto(at(`/docs/reference/${name}`));
    await page.evaluate(() => {
      for (const folded of document.querySelectorAll('details')) folded.open = true;
    });
    await expectAccessible(page);
  }
});

test('the address that an operation had on the page of its group leads to its own page', async ({ page }) => {
  for (const [part = '', { operations, freeOperations }] of Object.entries(parts)) {
    await page.goto(at(`/docs/reference/${part}`));
    for (const operation of [...operations, ...freeOperations]) {
      const link = page.locator(`[id="${operation.id}"]`).getByRole('link');
      await expect(link).toHaveAttribute('href', referencePath(operation));
    }
  }
});

test('without JavaScript, samples can be chosen and fields opened', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(at('/docs/reference/forms/forms.create'));
  await expect(page.getByRole('region', { name: 'Request with curl' })).toBeVisible();
  await page.getByLabel('Python', { exact: true }).check();
  await expect(page.getByRole('region', { name: 'Request with Python' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Request with curl' })).toBeHidden();
  const inner = page.locator('[id="body.questions.label"]');
  await expect(inner).toContainText('The question.');
  await page.getByText('15 fields of questions').click();
  await expect(inner).toBeHidden();
  await context.close();
});

test('the URL of a call is copied, fields say whether they are required, and inner ones of the first level are shown', async ({
  page,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(at('/docs/reference/flights/flights.search'));
  await page.getByRole('button', { name: 'Copy: URL of the call' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Copied.' })).toHaveCount(1);
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(at('/v1/flights/search'));
  await page.goto(at('/docs/reference/airports/airports.search'));
  await expect(page.locator('[id="body.query"] dt')).toHaveText('query string, required');
  await expect(page.locator('[id="response.airports.name"]')).toBeVisible();
  await expect(page.locator('[id="response.airports.coordinates.lat"]')).toBeHidden();
});

test('samples stand beside the text where there is room, and below its explanation elsewhere', async ({
  page,
}) => {
  const places = async (width: number) => {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(at('/docs/reference/airports/airports.search'));
    const [samples, text, header] = await Promise.all(
      ['.call-samples', '.call-text', '.site-header'].map((one) => page.locator(one).boundingBox()),
    );
    if (!samples || !text || !header) throw new Error('The page lacks a part.');
    return { samples, text, header };
  };
  for (const width of [1000, 1280, 1440, 1920]) {
    const { samples, text, header } = await places(width);
    expect(samples.x, String(width)).toBeGreaterThan(text.x + text.width);
    // It ends where the header ends, within the gutter.
    expect(header.x + header.width - samples.x - samples.width, String(width)).toBeLessThan(36);
  }
  for (const width of [1100, 390]) {
    const { samples, text } = await places(width);
    expect(samples.y, String(width)).toBeGreaterThan(text.y + text.height);
  }
});

test('the language of samples is remembered on other pages, and chosen with the keyboard', async ({
  page,
}) => {
  await page.goto(at('/docs/reference/files/uploads.create'));
  await page.getByLabel('curl', { exact: true }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('region', { name: 'Request with TypeScript' })).toBeVisible();
  await page.goto(at('/docs/reference/airports/airports.search'));
  await expect(page.getByRole('region', { name: 'Request with TypeScript' })).toBeVisible();
  await expect(page.getByLabel('TypeScript', { exact: true })).toBeChecked();
  // An operation without a sample in that language shows the first sample.
  await page.goto(at('/docs/reference/files/uploads.create'));
  await page.getByLabel('Python', { exact: true }).check();
  await page.goto(at('/docs/reference/wallet/wallet.uploads'));
  await expect(page.getByRole('region', { name: 'Request with curl' })).toBeVisible();
});

test('the front page and the reference share the language of samples, and showing it moves nothing', async ({
  page,
}) => {
  await page.goto(at('/docs/reference/airports/airports.search'));
  await page.getByLabel('Python', { exact: true }).check();
  await page.addInitScript(() => {
    Object.assign(window, { shifts: 0 });
    new PerformanceObserver((list) => {
      (window as unknown as { shifts: number }).shifts += list.getEntries().length;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.reload();
  await expect(page.getByRole('region', { name: 'Request with Python' })).toBeVisible();
  expect(await page.evaluate('shifts')).toBe(0);
  await page.goto(at('/'));
  await expect(page.getByRole('region', { name: 'Paid call: Python', exact: true })).toBeVisible();
  await page.getByLabel('TypeScript', { exact: true }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('region', { name: 'Unpaid call: curl', exact: true })).toBeVisible();
  expect(await page.evaluate('shifts')).toBe(0);
  await page.goto(at('/docs/reference/airports/airports.search'));
  await expect(page.getByRole('region', { name: 'Request with curl' })).toBeVisible();
});

test('every operation has a page in Markdown with its paths, fields and errors', async () => {
  for (const operation of all) {
    const where = `${referencePath(operation)}.md`;
    const answer = await fetch(at(where));
    expect(answer.headers.get('content-type'), where).toBe('text/markdown; charset=utf-8');
    const text = await answer.text();
    const paths = 'paths' in operation ? Object.values(operation.paths) : [operation.path];
    for (const one of paths) expect(text, where).toContain(`\`${operation.method} ${one}\``);
    for (const code of operation.errors) expect(text, where).toContain(`\`${code}\``);
    const names = anchorsOf(operation).map((anchor) => anchor.slice(anchor.lastIndexOf('.') + 1));
    for (const name of names) expect(text, where).toMatch(new RegExp(`^ *- \`${name}\` \\(.+\\):`, 'm'));
  }
});
