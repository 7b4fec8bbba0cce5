import { createHash } from 'node:crypto';
import { recordResult } from '@/lib/ledger/call-moves';
import { claim } from '@/lib/ledger/claim';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { expect, test } from '../support/without-browser';

/** How the ledger credits deposits. */

let ledger: LedgerApp;

test.beforeAll(async () => {
  ledger = await openLedgerApp();
});
test.afterAll(() => ledger.close());

test('a deposit that was settled again is not credited by a process that began before', async () => {
  const { app } = ledger;
  const now = new Date();
  const hash = createHash('sha256').update('request').digest();
  await app.pool.query("INSERT INTO account (id, created_at) VALUES ('acct', now())");
  const call = await claim(
    app,
    {
      id: 'pc_deposit',
      operation: 'billing.deposit',
      rail: 'x402',
      payment: {
        network: 'base',
        asset: 'USDC',
        payer: 'payer',
        authorization: 'nonce',
        amountAtomic: 5_000n,
        payTo: 'us',
        validBefore: now,
        signed: { family: 'solana', transaction: '', signer: 'key' },
      },
      sinceHeight: 1n,
      requestHash: hash,
      requestDigest: hash,
      idempotencyKey: null,
      claimToken: null,
      input: {},
      isPrepared: false,
      isFlushedLater: false,
    },
    app.instance.id,
    now,
  );
  if (!call) throw new Error('nothing was claimed');
  const move = (to: string, more = '') =>
    app.pool.query(`UPDATE paid_call SET state = '${to}'${more} WHERE id = '${call.id}'`);
  const deliver = (account: string | null) =>
    recordResult(app, call, { status: 200, body: '{}' }, account, new Date());
  await move('settled');
  expect(await deliver('acct')).toBe(true);
  await move('unknown', ', reorganizations = 1');
  await move('settled');
  expect(await deliver('acct')).toBe(false);
  expect(await deliver(null)).toBe(true);
  const { rows } = await app.pool.query('SELECT balance_atomic::int AS balance FROM account_balance');
  expect(rows).toEqual([{ balance: 5_000 }]);
});
