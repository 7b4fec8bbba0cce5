import { expect, test } from '@playwright/test';
import pg from 'pg';
import { findFreePort } from '@/local/free-port';
import { addCall, addCalls } from '../support/ledger-rows';
import { migratedDatabase } from '../support/new-database';
import { startServer } from '../support/server';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expectAccessible, withAxe } from './accessible';

/** The page that says what works now. */

const at = (path: string) => stack().apiUrl + path;

test('the status page names every network and service, and is the same as Markdown', async ({ page }) => {
  await page.goto(at('/docs/status'));
  const main = page.getByRole('main');
  await expect(main).toContainText('All systems operational');
  await expect(main).toContainText(/Checked on .+ UTC/);
  await expect(main).toContainText('For monitoring, use /health/ready.');
  const rows = await page
    .locator('[aria-label=Networks] tbody tr, [aria-label=Services] tbody tr')
    .evaluateAll((all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent?.trim()).join(': ')),
    );
  const markdown = await (await fetch(at('/docs/status.md'))).text();
  expect(markdown.split('\n').filter((line) => line.startsWith('- '))).toEqual(rows.map((row) => `- ${row}`));
  for (const part of ['Base', 'Solana', 'Paid calls', 'File store', 'Flight offers'])
    expect(
      rows.some((row) => row.startsWith(`${part}`)),
      part,
    ).toBe(true);
});

test('the status page shows how the calls of the last days went, and says when there were too few', async ({
  page,
}) => {
  const database = await migratedDatabase();
  const ledger = new pg.Pool({ connectionString: database.url });
  const server = await startServer({ ...stack().serverEnv, DATABASE_URL: database.url });
  try {
    const createdAt = new Date(Date.now() - 60_000);
    await addCalls(ledger, 20, { createdAt, transactionHash: '0xaa' });
    await addCall(ledger, { createdAt, operation: 'forms.create', states: ['settled', 'kept'] });
    const noMoney = { revenue: {}, received: {}, gas: {}, gasInVain: {} };
    for (const [daysAgo, calls] of [
      [10, { delivered: 18, kept: 2 }],
      [11, { delivered: 40 }],
    ] as const)
      await ledger.query('INSERT INTO daily_figures (day, figures) VALUES (current_date - $1::int, $2)', [
        daysAgo,
        { ...noMoney, calls },
      ]);
    await withAxe(page);
    await page.goto(`${server.apiUrl}/docs/status`);
    for (const span of ['By call, last 24 hours', 'By call, last 7 days']) {
      const table = page.getByRole('region', { name: span });
      await expect(table.locator('tbody tr').first()).toHaveText(
        /uploads\.create\s*20\s*100%\s*2\.0 s\s*–\s*1\.0 s\s*0/,
      );
      await expect(table.locator('tbody tr')).toHaveCount(1);
    }
    await expect(page.getByText('Too few calls for figures: forms.create (1).')).toHaveCount(2);
    const summary = /2 of 30 days have a figure\. Fewer than 99% were delivered on \w+ \d+ \(90%\)\./;
    await expect(page.getByRole('main')).toContainText(summary);
    await expect(page.locator('.past-days .good')).toHaveCount(2);
    await expect(page.locator('.past-days .wrong')).toHaveCount(1);
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 900 });
    const cut = await page
      .locator('main .scroll')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
    expect(cut).toBe(0);
    const markdown = await (await fetch(`${server.apiUrl}/docs/status.md`)).text();
    expect(markdown).toMatch(summary);
    expect(markdown).toContain('| `uploads.create` | 20 | 100% | 2.0 s | – | 1.0 s | 0 |');
    expect(markdown).toContain('Too few calls for figures: `forms.create` (1).');
  } finally {
    await server.stop();
    await ledger.end();
    await database.drop();
  }
});

test('the status page begins with what is not available', fullOnly, async ({ page }) => {
  const database = await migratedDatabase();
  const server = await startServer({
    ...stack().serverEnv,
    DATABASE_URL: database.url,
    // Nothing listens there.
    POLYGON_RPC_URL: `http://127.0.0.1:${await findFreePort()}`,
  });
  try {
    await withAxe(page);
    await expect(async () => {
      await page.goto(`${server.apiUrl}/docs/status`);
      await expect(page.locator('.notice')).toContainText('Not available: Polygon', { timeout: 500 });
    }).toPass();
    await expect(page.getByRole('row', { name: 'Polygon' })).toContainText(
      'Not available; nothing is charged',
    );
    await expectAccessible(page);
  } finally {
    await server.stop();
    await database.drop();
  }
});
