import { expect, type Page, test } from '@playwright/test';
import pg from 'pg';
import { newOrderedId } from '@/lib/platform/ids';
import { operatorToken } from '../support/console';
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
      ids.delivered = await addCall(ledger, {
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
  ids.form = await addForm();
  ids.toSign = await callToSign(createdAt);
  ids.booked = await bookedTransfer(createdAt);
  ids.kept = await call(['settled', 'kept'], 'serp.search');
  await ledger.query(`UPDATE paid_call SET attempt_at = now() + interval '1 day', refusal_final_at = now()`);
  await ledger.query('UPDATE settlement_transaction SET final_at = confirmed_at');
}

/** A call whose refund waits for the wallet. */
async function callToSign(createdAt: Date): Promise<string> {
  const settlementId = await addSettlement(ledger, { hash, at: createdAt, feeAtomic: 1n });
  await ledger.query('UPDATE settlement_transaction SET final_at = now() WHERE id = $1', [settlementId]);
  const id = await addCall(ledger, { createdAt, settlementId, transactionHash: hash });
  await ledger.query(
    `INSERT INTO refund (id, paid_call_id, round, method, state, network, asset, recipient, amount_atomic, reason, check_at,
       requested_at, moved_at, signable_until)
     SELECT 'rf_1', id, 0, 'wallet', 'requested', network, asset, payer, amount_atomic, 'duplicate', now() + interval '1 day',
       now(), now(), now() + interval '10 minutes' FROM paid_call WHERE id = $1`,
    [id],
  );
  return id;
}

/** A payment that belongs to no call, and waits for a decision. */
async function bookedTransfer(createdAt: Date): Promise<string> {
  const bookedHash = `0x${'b0'.repeat(32)}`;
  const settlementId = await addSettlement(ledger, { hash: bookedHash, at: createdAt, feeAtomic: 1n });
  await ledger.query('UPDATE settlement_transaction SET final_at = now() WHERE id = $1', [settlementId]);
  const id = newOrderedId('pc', createdAt);
  await ledger.query(
    `INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
       request_hash, state, valid_before, attempt_at, created_at, moved_at, settlement_id, transaction_hash)
     VALUES ($1, 'transfers.unmatched', 'none', 'base', 'USDC', $2, $1, 5000, 'us', '', 'settling', $3, $3, $3, $3, $4, $5)`,
    [id, `0x${'2'.repeat(40)}`, createdAt, settlementId, bookedHash],
  );
  for (const [state, note] of [
    ['settled', null],
    ['needs_attention', 'transfer_without_call'],
  ])
    await ledger.query('UPDATE paid_call SET state = $2::paid_call_state, move_note = $3 WHERE id = $1', [
      id,
      state,
      note,
    ]);
  return id;
}

/** A form that somebody has reported. */
async function addForm(): Promise<string> {
  const id = `fm_${'F'.repeat(24)}`;
  const content = {
    title: 'Win a prize',
    language: 'en',
    questions: [{ id: 'a', type: 'text', label: 'Your bank' }],
  };
  await ledger.query(
    `INSERT INTO form (id, paid_call_id, owner, created_at, read_token_hash, content, closes_at, readable_until,
       max_responses)
     VALUES ($1, $2, '0x1', now(), 'hash', $3, now() + interval '1 day', now() + interval '8 days', 100)`,
    [id, ids.needsAttention, content],
  );
  await ledger.query(
    `INSERT INTO abuse_report (id, target_kind, target_id, reason, reported_at) VALUES ('fa_1', 'form', $1, 'secrets', now())`,
    [id],
  );
  return id;
}

const everyPage = (): [name: string, path: string][] => [
  ['overview', '/operator'],
  ['worklist', '/operator/worklist'],
  ['calls', '/operator/calls'],
  ['call-delivered', `/operator/calls?state=delivered`],
  ['call', `/operator/calls/${ids.needsAttention}`],
  ['call-not-found', '/operator/calls/pc_000000000000000000000000'],
  ['refund', `/operator/calls/${ids.delivered}/refund`],
  ['refund-open', `/operator/calls/${ids.toSign}/refund`],
  ['refund-signing', `/operator/calls/${ids.toSign}/refund/wallet`],
  ['refund-not-yet', `/operator/calls/${ids.needsAttention}/refund`],
  ['transfers', '/operator/transfers'],
  ['booked', `/operator/calls/${ids.booked}`],
  ['keep', `/operator/calls/${ids.booked}/keep`],
  ['wallets', '/operator/wallets'],
  ['system', '/operator/system'],
  ['reports', '/operator/reports'],
  ['form', `/operator/forms/${ids.form}`],
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

test.describe('by keyboard, without a script, on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false });

  test('an operator signs in, finds a call, adds a note and signs out', async ({ page }) => {
    await page.goto(`${server.apiUrl}/operator`);
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
    const tabTo = async (target: ReturnType<Page['getByRole']>) => {
      for (let step = 0; step < 60; step += 1) {
        if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error('the keyboard does not reach it');
    };
    await tabTo(page.getByLabel('Operator token'));
    await page.keyboard.type(operatorToken());
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
    await tabTo(page.getByRole('link', { name: 'Calls', exact: true }));
    await page.keyboard.press('Enter');
    await tabTo(page.getByLabel('Call, payer or transaction'));
    await page.keyboard.type(ids.needsAttention ?? '');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('0.005 USDC for uploads.renew');
    await tabTo(page.getByLabel('Note'));
    await page.keyboard.type('Its owner was asked.');
    await tabTo(page.getByRole('button', { name: 'Add the note' }));
    await page.keyboard.press('Enter');
    await expect(page.getByText('Its owner was asked.')).toBeVisible();
    await tabTo(page.getByRole('button', { name: 'Sign out' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  });
});

test('filters are in the address, and a wrong one is explained', async ({ page }) => {
  await signInByHand(page, server.apiUrl);
  await page.goto(`${server.apiUrl}/operator/calls`);
  await page.getByLabel('State').selectOption('kept');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page).toHaveURL(/state=kept/);
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.getByLabel('Call, payer or transaction').fill(payer.toLowerCase());
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page).toHaveURL(/payer=0x/);
  await page.goto(`${server.apiUrl}/operator/calls?search=nonsense`);
  await expect(page.getByRole('alert')).toContainText('nonsense');
  await page.goto(`${server.apiUrl}/operator/calls?from=yesterday`);
  await expect(page.getByRole('alert')).toContainText('must be a date');
});
