import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createApp } from '@/lib/app';
import type { Claim } from '@/lib/calls/call-store';
import { claim } from '@/lib/ledger/claim';
import { findEarlier } from '@/lib/ledger/paid-call-rows';
import { eraseAnswers } from '@/lib/ledger/stored-answer';
import type { Payment } from '@/lib/payments/payment';
import { newOrderedId } from '@/lib/platform/ids';
import { eraseForms } from '@/lib/services/forms/erase';
import { expireUploads } from '@/lib/services/uploads/expire';
import { loadLedger } from '@/tools/bench/ledger-loader';
import { loadedAccount } from '@/tools/bench/loaded-rows';
import { askApp } from '../support/ask-app';
import { migratedDatabase } from '../support/new-database';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';
import { asset, audit, seller, transfersOf } from './ledger-audit/audit';

const calls = 2_000;

/** Makes everything that can expire expire. */
const longAfterwards = `
  UPDATE paid_call SET answer_expires_at = now() - interval '1 second';
  UPDATE upload SET expires_at = now() - interval '1 second' WHERE deleted_at IS NULL;
  UPDATE form SET readable_until = now() - interval '1 second' WHERE erased_at IS NULL`;

const contents = `SELECT
  (SELECT count(*)::int FROM paid_call WHERE answer IS NOT NULL OR payment IS NOT NULL) AS calls,
  (SELECT count(*)::int FROM form WHERE content IS NOT NULL) AS forms,
  (SELECT count(*)::int FROM form_response) AS responses,
  (SELECT count(*)::int FROM upload WHERE erased_at IS NULL) AS files`;

test('the jobs erase expired rows from a ledger, and neither the audit nor a retry misses them', async () => {
  const database = await migratedDatabase();
  const storageDir = await mkdtemp(path.join(tmpdir(), 'tuppence-retention-'));
  const { keys, log, settings } = testPlatform({
    DATABASE_URL: database.url,
    STORAGE: 'disk',
    STORAGE_DIR: storageDir,
  });
  const app = createApp({ settings, log });
  try {
    const answers = keys.encrypt(JSON.stringify({ name: 'Ada' }));
    await loadLedger(database.url, { seller, asset, calls, answers });
    const before = (await app.pool.query(contents)).rows;
    expect(Object.values(before[0]).every((count) => Number(count) > 0)).toBe(true);
    await app.pool.query(longAfterwards);

    await eraseAnswers(app, new Date());
    await eraseForms(app, new Date());
    await expireUploads(app, new Date());

    expect((await app.pool.query(contents)).rows).toEqual([{ calls: 0, forms: 0, responses: 0, files: 0 }]);
    expect(await audit(app.pool, await transfersOf(app.pool))).toEqual([]);

    await test.step('a used payment is still bound to its call', async () => {
      const { rows } = await app.pool.query(
        `SELECT id, payer, "authorization" FROM paid_call WHERE network = 'base' LIMIT 1`,
      );
      const [{ id, payer, authorization }] = rows;
      const payment: Payment = {
        network: 'base',
        asset,
        payer,
        authorization,
        amountAtomic: 5_000n,
        payTo: seller.payTo,
        validBefore: new Date(),
        signed: { family: 'account' },
      };
      const { byAuthorization } = await findEarlier(app, payment, null);
      expect(byAuthorization).toMatchObject({ id, state: 'delivered', answer: null });
      const again: Claim = {
        id: newOrderedId('pc', new Date()),
        operation: 'uploads.create',
        rail: 'x402',
        payment,
        sinceHeight: 0n,
        requestHash: Buffer.alloc(32),
        requestDigest: Buffer.alloc(32),
        idempotencyKey: null,
        claimToken: null,
        input: {},
        isPrepared: false,
        isFlushedLater: true,
      };
      expect(await claim(app, again, app.instance.id, new Date())).toBeNull();
    });

    await test.step('a used idempotency key is still bound to its call', async () => {
      const response = await askApp(
        app,
        new Request('https://api.example.com/v1/account/airports/search', {
          method: 'POST',
          // The key of the tenth call, which was paid from the account.
          headers: { Authorization: `Bearer ${loadedAccount.token}`, 'Idempotency-Key': 'key10' },
          body: JSON.stringify({ query: 'London' }),
        }),
      );
      expect([response.status, response.body]).toEqual([
        409,
        expect.stringContaining('idempotency_conflict'),
      ]);
    });
  } finally {
    await app.close();
    await database.drop();
    await rm(storageDir, { recursive: true });
  }
});
