import { expect, type Page, test } from '@playwright/test';
import pg from 'pg';
import { signInByHand, takePicture } from '../support/console-page';
import { addCall, addSettlement } from '../support/ledger-rows';
import { migratedDatabase } from '../support/new-database';
import { startServer, type TestServer } from '../support/server';
import { stack } from '../support/stack';
import { expectAccessible, withAxe } from './accessible';

/** The pages of the console, over a ledger with calls in every state. */

let server: TestServer;
let ledger: pg.Pool;
let drop: () => Promise<void>;
const ids: Record<string, string> = {};

const payer = `0x${'Ab'.repeat(20)}`;
const hash = `0x${'3c'.repeat(32)}`;

test.beforeAll(async () => {
  const database = await migratedDatabase();
  ledger = new pg.Pool({ connectionString: database.url, max: 1 });
  drop = database.drop;
  await fillLedger();
  server = await startServer({ ...stack().serverEnv, DATABASE_URL: database.url, TRUSTED_PROXIES: '1' });
});

test.afterAll(async () => {
  await server.stop();
  await ledger.end();
  await drop();
});

/** A month of business on two networks, with everything that can go wrong. Nothing of it is left for recovery to do. */
async function fillLedger(): Promise<void> {
  const dayMs = 86_400_000;
  const startMs = Date.now();
  for (let daysAgo = 0; daysAgo < 20; daysAgo += 1) {
    for (let nth = 0; nth <= daysAgo % 4; nth += 1) {
      const createdAt = new Date(startMs - daysAgo * dayMs - (nth + 1) * 60_000);
      const network = nth % 2 === 0 ? 'base' : 'polygon';
      const operation = ['uploads.create', 'render.pdf', 'forms.create', 'serp.search'][nth] ?? '';
      const transactionHash = `0x${(daysAgo * 10 + nth).toString(16).padStart(64, '0')}`;
      const settlementId = await addSettlement(ledger, {
        network,
        hash: transactionHash,
        at: createdAt,
        feeAtomic: 1_200_000_000_000n,
      });
      await addCall(ledger, {
        operation,
        network,
        createdAt,
        payer,
        amountAtomic: 5_000 * (nth + 1),
        settlementId,
        transactionHash,
      });
    }
  }
  const createdAt = new Date(startMs - 3 * 3_600_000);
  const call = (states: NonNullable<Parameters<typeof addCall>[1]['states']>, operation = 'uploads.renew') =>
    addCall(ledger, { createdAt, states, operation, transactionHash: hash });
  ids.needsAttention = await call(['settled', ['needs_attention', 'upload_not_found']]);
  ids.unknown = await call(['unknown']);
  ids.refused = await call([['refused', 'insufficient_funds']]);
  ids.kept = await call(['settled', 'kept'], 'serp.search');
  await ledger.query(`UPDATE paid_call SET attempt_at = now() + interval '1 day', refusal_final_at = now()`);
  await ledger.query('UPDATE settlement_transaction SET final_at = confirmed_at');
}

const everyPage = (): [name: string, path: string][] => [
  ['overview', '/operator'],
  ['worklist', '/operator/worklist'],
  ['calls', '/operator/calls'],
  ['call-delivered', `/operator/calls?state=delivered`],
  ['call', `/operator/calls/${ids.needsAttention}`],
  ['call-not-found', '/operator/calls/pc_000000000000000000000000'],
  ['system', '/operator/system'],
  ['log', '/operator/log'],
];

async function expectFits(page: Page): Promise<void> {
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow, page.url()).toBe(0);
}

for (const [what, options] of [
  ['desktop, light', { colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
  ['desktop, dark', { colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
  ['390 pixels, light', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ['390 pixels, dark', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
] as const) {
  test.describe(what, () => {
    // Without a script, everything works.
    test.use({ ...options });

    test(`every page is accessible and fits: ${what}`, async ({ page }) => {
      const picture = (name: string) => takePicture(page, `${name}-${what.replaceAll(/\W+/g, '-')}`);
      await withAxe(page);
      await page.goto(`${server.apiUrl}/operator`);
      await expectAccessible(page);
      await picture('sign-in');
      await signInByHand(page, server.apiUrl);
      for (const [name, path] of everyPage()) {
        const answer = await page.goto(server.apiUrl + path);
        expect([path, answer?.status()], server.output().slice(-2_000)).toEqual([
          path,
          name === 'call-not-found' ? 404 : 200,
        ]);
        await expectAccessible(page);
        await expectFits(page);
        await picture(name);
      }
    });
  });
}
