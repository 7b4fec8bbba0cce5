import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { figuresIn, figuresMax } from '@/app/_site/front/figures';
import { errors } from '@/lib/catalog/errors/codes';
import { forAgents, parts, referencePath } from '@/lib/discovery/contents';
import { firstCalls } from '@/lib/discovery/first-call';
import { openAccount } from '../support/accounts';
import { desktopAndPhone, layoutShiftsOf, watchLayoutShifts } from '../support/layout-shifts';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expectAccessible, withAxe } from './accessible';

/** Our own pages: front page, guides, errors and reference. */

const at = (pathname: string) => stack().apiUrl + pathname;

const everyPage = [
  '/',
  '/docs',
  '/docs/errors',
  '/docs/paying-with-x402',
  '/docs/reference',
  '/docs/reference/files',
  '/docs/reference/common',
  '/docs/reference/forms/forms.create',
  '/nowhere',
];

for (const [what, options] of [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['320 pixels wide', { viewport: { width: 320, height: 640 } }],
] as const) {
  test.describe(what, () => {
    test.use(options);
    test(`every kind of page is accessible and fits: ${what}`, fullOnly, async ({ page }) => {
      await withAxe(page);
      for (const pathname of everyPage) {
        await page.goto(at(pathname));
        await expectAccessible(page);
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect(overflow, pathname).toBe(0);
      }
    });
  });
}

test('every guide and every part of the reference is accessible', fullOnly, async ({ page }) => {
  test.setTimeout(180_000);
  await page.goto(at('/docs'));
  const links = await page.locator('main .cards a').all();
  const guides = await Promise.all(links.map((link) => link.getAttribute('href')));
  // The pages about incidents are all alike, so one is enough.
  const incident = '/docs/incidents/abuse';
  const paths = [...guides, incident, ...Object.keys(parts).map((name) => `/docs/reference/${name}`)];
  expect(paths.length).toBeGreaterThan(15);
  await withAxe(page);
  for (const pathname of paths) {
    await page.goto(at(pathname ?? '/nowhere'));
    await expectAccessible(page);
  }
});

test('pages load nothing from elsewhere, break no policy and are small', fullOnly, async ({ page }) => {
  const origins = new Set<string>();
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('console', (message) => wrong.push(message.text()));
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  for (const pathname of everyPage.filter((one) => one !== '/nowhere')) {
    const answer = await page.goto(at(pathname), { waitUntil: 'networkidle' });
    expect(answer?.status()).toBe(200);
    const policy = answer?.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
  }
  expect(wrong).toEqual([]);
  expect([...origins]).toEqual([stack().apiUrl]);
});

test('the typeface is ours, is kept for good, and nothing on a page moves', fullOnly, async ({ page }) => {
  const fonts: Record<string, string>[] = [];
  page.on('response', (answer) => {
    if (answer.request().resourceType() === 'font') fonts.push(answer.headers());
  });
  await watchLayoutShifts(page);
  for (const viewport of desktopAndPhone) {
    await page.setViewportSize(viewport);
    for (const pathname of everyPage) {
      await page.goto(at(pathname), { waitUntil: 'networkidle' });
      expect(await page.evaluate('[...document.fonts].some(({ status }) => status === "loaded")')).toBe(true);
      expect(await layoutShiftsOf(page), pathname).toEqual([]);
    }
  }
  expect(fonts[0]).toMatchObject({
    'content-type': 'font/woff2',
    'cache-control': 'public,max-age=31536000,immutable',
  });
  expect(Number(fonts[0]?.['content-length'])).toBeLessThan(25_000);
});

test('the front page lists every available call with its price and a link to its page', async ({ page }) => {
  await page.goto(at('/'));
  const { operations } = forAgents({ isAvailable: () => true });
  for (const operation of operations) {
    const entry = page
      .getByRole('listitem')
      .filter({ has: page.locator(`a[href="${referencePath(operation)}"]`) });
    await expect(entry.getByRole('link')).toHaveText(operation.title);
    await expect(entry.locator('.price')).toHaveText(`${operation.price} USDC`);
  }
  expect(await page.locator('.group .price').filter({ hasText: ' USDC' }).count()).toBe(operations.length);
});

test('the front page names networks as people do, and is short on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(at('/'));
  await expect(page.locator('.hero')).toContainText('USDC on Base, Polygon, Arbitrum and Solana');
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(7_600);
});

test('a call and its response are in view on a desktop, and no text is below a copy button', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(at('/'));
  await expect(page.getByRole('region', { name: 'Unpaid call: curl' })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('region', { name: 'Response to the unpaid call' })).toBeInViewport({
    ratio: 1,
  });
  const covered = await page.locator('.first-call .sample:has(.copy)').evaluateAll(
    (samples) =>
      samples.filter((sample) => {
        const [button, code] = [sample.querySelector('.copy'), sample.querySelector('pre')];
        return !button || !code || button.getBoundingClientRect().bottom > code.getBoundingClientRect().top;
      }).length,
  );
  expect(covered).toBe(0);
});

test('the front page has the figures of the page about reliability', async ({ page }) => {
  await page.goto(at('/'));
  const shown = page.locator('.figures dt');
  await expect(shown).toHaveCount(figuresMax);
  const measured = figuresIn(await readFile('docs/reliability.md', 'utf8'));
  expect(await shown.allTextContents()).toEqual(measured.map(({ count }) => count));
});

test('paper shows samples whole unless they are folded, and nothing that can only be pressed', async ({
  page,
}) => {
  await page.emulateMedia({ media: 'print', colorScheme: 'light' });
  for (const path of ['/', '/docs/uploads', '/docs/reference/files/uploads.create']) {
    await page.goto(at(path));
    const cut = await page
      .locator('.sample:not(.folded) > pre')
      .evaluateAll((blocks) => blocks.filter((one) => one.scrollHeight > one.clientHeight + 1).length);
    expect(cut, path).toBe(0);
    for (const one of await page.locator('.button, button, .docs-source, footer nav').all())
      await expect(one).toBeHidden();
  }
  await page.goto(at('/'));
  const folded = page.locator('.folded > pre').filter({ visible: true }).first();
  expect(await folded.evaluate((one) => one.scrollHeight > one.clientHeight)).toBe(true);
});

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('the first call is shown in the chosen language, unpaid and paid', async ({ page }) => {
    await page.goto(at('/'));
    for (const { label } of Object.values(firstCalls({ publicUrl: stack().apiUrl }))) {
      await page.getByRole('radio', { name: label }).check();
      const shown = page.locator('.version .sample:visible');
      await expect(shown).toHaveCount(2);
      const [unpaid, paid] = [`Unpaid call: ${label}`, `Paid call: ${label}`];
      await expect(page.getByRole('region', { name: unpaid, exact: true })).toBeVisible();
      await expect(page.getByRole('region', { name: paid, exact: true })).toBeVisible();
    }
    const response = page.getByRole('region', { name: 'Response to the paid call' });
    const height = async () => (await response.locator('pre').boundingBox())?.height ?? 0;
    const before = await height();
    await response.getByText(/Show all \d+ lines/).click();
    expect(await height()).toBeGreaterThan(before * 2);
  });
});

test('the picture of a payment has words', async ({ page }) => {
  await page.goto(at('/'));
  const picture = page.getByRole('img', { name: 'A paid call' });
  await expect(picture).toBeVisible();
  await expect(picture).toHaveAccessibleDescription(/answers 402 with the price.*result with a receipt/);
});

test('the docs link in an error body shows that error', async ({ page }) => {
  const { error } = await (await fetch(at('/v1/nothing'))).json();
  await page.goto(error.docs);
  await expect(page.locator('tr:target')).toContainText(errors.not_found.message);
  for (const code of Object.keys(errors)) await expect(page.locator(`tr[id="${code}"]`)).toHaveCount(1);
});

test('a code in the table of errors stays in one line, and what happened to the money is said in words', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(at('/docs/errors'));
  const broken = await page
    .locator('.error-link code')
    .evaluateAll(
      (codes) => codes.filter((code) => code.getClientRects().length > 1 || code.clientHeight > 30).length,
    );
  expect(broken).toBe(0);
  const row = page.locator('tr[id="invalid_input"]');
  await expect(row.locator('[data-title="Charged?"]')).toHaveText('No');
  await expect(row.locator('[data-title="Next"]')).toHaveText('Fix the request');
});

test('titles and descriptions of pages are unique, and descriptions are short', fullOnly, async () => {
  const sitemap = await (await fetch(at('/sitemap.xml'))).text();
  const pages = [...sitemap.matchAll(/<loc>([^<]+)/g)].map(([, url = '']) => url);
  expect(pages.length).toBeGreaterThan(50);
  const found = await Promise.all(
    pages.map(async (url) => {
      const html = await (await fetch(url, { headers: { Accept: 'text/html' } })).text();
      const description = /<meta name="description" content="([^"]*)/.exec(html)?.[1] ?? '';
      return { url, title: /<title>([^<]*)/.exec(html)?.[1] ?? '', description };
    }),
  );
  expect(found.filter(({ description }) => description.length < 20 || description.length > 200)).toEqual([]);
  for (const part of ['title', 'description'] as const)
    expect(new Set(found.map((one) => one[part])).size, part).toBe(found.length);
});

test('every link between our pages works, including its fragment', fullOnly, async ({ page }) => {
  const seen = new Map<string, Set<string>>();
  const queue = ['/'];
  const wanted: [string, string][] = [];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next)) continue;
    const answer = await fetch(at(next), { headers: { Accept: 'text/html' } });
    expect(answer.status, next).toBe(200);
    const isPage = (answer.headers.get('content-type') ?? '').includes('html');
    const html = isPage ? await answer.text() : '';
    seen.set(next, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)));
    for (const [, href = ''] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^https?:/.test(href)) continue;
      const [pathname = '', anchor] = href.split('#');
      const target = pathname === '' ? next : pathname;
      queue.push(target);
      if (anchor) wanted.push([target, anchor]);
    }
  }
  const lost = wanted.filter(([target, anchor]) => !seen.get(target)?.has(anchor));
  expect(lost).toEqual([]);
  expect(seen.size).toBeGreaterThan(10);
  await page.close();
});

test('samples are copied with a button, and the keyboard finds content and samples', async ({ page }) => {
  await page.goto(at('/'));
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page
    .getByRole('button', { name: /^Copy: / })
    .first()
    .click();
  await expect(page.getByRole('status').first()).toHaveText('Copied.');
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('curl -i -X POST');
});

test('clients that ask for text get text', async () => {
  for (const [pathname, accept] of [
    ['/', 'text/markdown'],
    ['/docs/paying-with-x402', 'text/markdown'],
    ['/docs/paying-with-x402.md', '*/*'],
    ['/docs/errors.md', '*/*'],
  ] as const) {
    const answer = await fetch(at(pathname), { headers: { Accept: accept } });
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await answer.text()).toMatch(/^# /);
  }
  const missing = await fetch(at('/nowhere'), { headers: { Accept: 'application/json' } });
  expect([missing.status, (await missing.json()).error.code]).toEqual([404, 'not_found']);
});

test('icons are served as images, also for HEAD', async () => {
  for (const pathname of ['/favicon.svg', '/favicon.ico', '/og.png', '/apple-touch-icon.png']) {
    const answer = await fetch(at(pathname), { method: 'HEAD' });
    expect([pathname, answer.status, answer.headers.get('content-type')]).toEqual([
      pathname,
      200,
      expect.stringMatching(/^image\//),
    ]);
  }
});

test(
  'search engines may list pages for everybody, and no others; every page describes itself',
  fullOnly,
  async () => {
    const { depositUrl } = await openAccount();
    for (const [address, isListed] of [
      [at('/'), true],
      [at('/docs/status'), true],
      [at('/receipts'), true],
      [at('/docs/search?q=receipts'), false],
      [at('/operator'), false],
      [depositUrl, false],
    ] as const) {
      const answer = await fetch(address, { headers: { Accept: 'text/html' } });
      const html = await answer.text();
      const robots = `${answer.headers.get('x-robots-tag')} ${/<meta name="robots"[^>]*>/.exec(html)?.[0]}`;
      expect([address, answer.status, !robots.includes('noindex')]).toEqual([address, 200, isListed]);
      expect(html).toMatch(/<meta name="description" content="[^"]{20,}"/);
    }
  },
);
