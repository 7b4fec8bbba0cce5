import { unmatchedTransfer } from '@/lib/ledger/states';
import { bookTransfer, type FoundTransfer, keepTransfer } from '@/lib/ledger/transfers-without-call';
import { readWorklist } from '@/lib/ledger/worklist';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { addCall, addSettlement } from '../support/ledger-rows';
import { expect, test } from '../support/without-browser';

/** What the database allows for a payment that belongs to no call. */

let ledger: LedgerApp;

test.beforeAll(async () => {
  ledger = await openLedgerApp();
});
test.afterAll(() => ledger.close());

let made = 0;

/** A payment of 5,000 in a transaction of its own. */
function newTransfer(): FoundTransfer {
  made += 1;
  return {
    network: 'base',
    asset: 'USDC',
    payer: `payer ${made}`,
    authorization: `nonce ${made}`,
    amountAtomic: 5_000n,
    payTo: 'us',
    transactionHash: `0x${made}`,
    block: { number: 7n, hash: '0xb' },
  };
}

const book = (transfer: FoundTransfer) =>
  ledger.app.db.$transaction((db) => bookTransfer(db, transfer, new Date()));

const move = (id: string, to: string) =>
  ledger.app.pool.query('UPDATE paid_call SET state = $2::paid_call_state WHERE id = $1', [id, to]);

// PostgreSQL's codes for these errors.
const checkViolation = /23514/;
const uniqueViolation = /23505/;

async function errorOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: object) => JSON.stringify({ ...error }),
  );
}

test('a payment is booked once', async () => {
  const transfer = newTransfer();
  await book(transfer);
  expect(await errorOf(book(transfer))).toMatch(uniqueViolation);
  const { rows } = await ledger.app.pool.query('SELECT FROM paid_call WHERE payer = $1', [transfer.payer]);
  expect(rows).toHaveLength(1);
});

test('a payment on Solana is booked once, no matter which wallet is taken for its payer', async () => {
  const transfer = { ...newTransfer(), network: 'solana-mainnet' } as const;
  await book(transfer);
  expect(await errorOf(book({ ...transfer, payer: 'its delegate' }))).toMatch(uniqueViolation);
});

test('payments of one transaction are booked one by one', async () => {
  const transfer = newTransfer();
  const other = { ...transfer, authorization: 'another nonce' };
  expect(await book(transfer)).not.toBe(await book(other));
});

test('a payment is not booked while the ledger follows its transaction and does not know it as final', async () => {
  const transfer = newTransfer();
  const { transactionHash: hash } = transfer;
  await addSettlement(ledger.app.pool, { hash, at: new Date(), feeAtomic: 1n });
  expect(await errorOf(book(transfer))).toMatch(checkViolation);
  await ledger.app.pool.query('UPDATE settlement_transaction SET final_at = now() WHERE hash = $1', [hash]);
  expect(await errorOf(book(transfer))).toBe('done');
});

test('a booked payment is never delivered, refused or unknown, and nothing but a booking begins as one', async () => {
  const id = await book(newTransfer());
  for (const state of ['delivered', 'unknown'])
    expect(await errorOf(move(id, state)), state).toMatch(checkViolation);
  expect(await errorOf(addCall(ledger.app.pool, { operation: unmatchedTransfer, states: [] }))).toMatch(
    checkViolation,
  );
});

test('only a booked payment that waits and is not being refunded is kept', async () => {
  const { db, pool } = ledger.app;
  const id = await book(newTransfer());
  expect(await keepTransfer(db, id, new Date())).toBe(true);
  expect(await keepTransfer(db, id, new Date())).toBe(false);
  const failed = await addCall(pool, { states: ['settled', ['needs_attention', 'delivery_failed']] });
  expect(await keepTransfer(db, failed, new Date())).toBe(false);
});

test('booked payments are on the worklist and pause nothing', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 25; count += 1) ids.push(await book(newTransfer()));
  const listed = (await readWorklist(ledger.app, 100)).map(({ id }) => id);
  expect(listed).toEqual(expect.arrayContaining(ids));
  await ledger.app.pausedOperations.refresh();
  expect(ledger.app.pausedOperations.all).toEqual([]);
});
