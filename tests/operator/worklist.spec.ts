import type { App } from '@/lib/app';
import {
  insertRefund,
  recordRefundFailed,
  recordRefundIncluded,
  recordRefundReorganized,
  recordRefundSent,
} from '@/lib/ledger/refund-records';
import { bookTransfer, isBookable, recordTransferWithoutCall } from '@/lib/ledger/transfers-without-call';
import { readWorklist } from '@/lib/ledger/worklist';
import { showDatabaseFigures } from '@/lib/operator/metrics/database-figures';
import { addReport, openReports } from '@/lib/services/abuse-reports';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { addCall, addSettlement } from '../support/ledger-rows';
import { expect, test } from '../support/without-browser';

let ledger: LedgerApp;
let app: App;
let settlementId: string;

const hash = `0x${'ab'.repeat(32)}`;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

test.beforeEach(async () => {
  ledger = await openLedgerApp();
  app = ledger.app;
  settlementId = await addSettlement(app.pool, { hash, at: hoursAgo(5), feeAtomic: 1n });
  await app.pool.query('UPDATE settlement_transaction SET final_at = now()');
});
test.afterEach(() => ledger.close());

/** Adds a call whose delivery failed and begins refunding it from a wallet. @returns the refund's id */
async function beginRefund(at: Date): Promise<string> {
  const states = ['settled', ['needs_attention', 'delivery_failed']] as const;
  const paidCallId = await addCall(app.pool, {
    createdAt: hoursAgo(4),
    settlementId,
    transactionHash: hash,
    states,
  });
  const terms = { paidCallId, accountId: null, note: null, sinceHeight: 1n };
  return insertRefund(app.db, { ...terms, method: 'wallet', reason: 'not_delivered' }, at, at);
}

async function sendRefund(at: Date): Promise<{ id: string; transactionHash: string }> {
  const id = await beginRefund(at);
  const transactionHash = `0x${id}`;
  const sent = { transactionHash, untilHeight: null };
  await recordRefundSent(app.db, { id, transactionHash: null }, sent, null, at);
  return { id, transactionHash };
}

function countKinds(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Adds a payment channel with 0.30 USDC unclaimed. */
async function addChannel(channel: {
  id: string;
  leavingSince?: Date;
  claimFailedAt?: Date;
  refundAskedAt?: Date;
}): Promise<void> {
  const { id, leavingSince, claimFailedAt, refundAskedAt } = channel;
  await app.pool.query(
    `INSERT INTO channel (id, network, payer, receiver, receiver_authorizer, token, withdraw_delay, salt, balance_atomic,
       withdrawing_atomic, withdrawal_begun_at, claimed_atomic, read_at_block, read_at, opened_atomic, charged_atomic,
       created_at, claim_failed_at, refund_atomic, refund_number, refund_asked_at)
     VALUES ($1, 'base', 'payer', 'us', 'authorizer', 'USDC', 86400, '0x', 1000000, $2, $3, 0, 1, now(), 0, 300000, now(),
       $4, $5, $6, $7)`,
    [
      id,
      leavingSince ? 800_000 : 0,
      leavingSince ? Math.floor(leavingSince.getTime() / 1_000) : 0,
      claimFailedAt,
      refundAskedAt ? 200_000 : 0,
      refundAskedAt ? 0 : null,
      refundAskedAt,
    ],
  );
}

test('the metric of the worklist counts what the worklist lists, by kind', async () => {
  await addCall(app.pool, { states: ['settled', ['needs_attention', 'delivery_failed']] });
  await addCall(app.pool, { createdAt: hoursAgo(2), states: ['unknown'] });
  await addCall(app.pool, { states: ['unknown'] });
  await app.pool.query(
    `INSERT INTO transfer_without_call (id, network, asset, payer, "authorization", amount_atomic, pay_to, operation, found_at)
     VALUES ('tw_1', 'base', 'USDC', 'payer', 'nonce', 5000, 'us', 'uploads.create', now())`,
  );
  // A refund that has only just begun or been sent is not on the worklist, and meanwhile neither is its call.
  await beginRefund(new Date());
  await sendRefund(new Date());
  await beginRefund(hoursAgo(2));
  const reorganized = await sendRefund(new Date());
  const block = { number: 2n, hash };
  await recordRefundIncluded(app.db, reorganized, { index: 0, block });
  await recordRefundReorganized(app.db, { ...reorganized, blockNumber: block.number }, new Date());
  const sent = { ...(await sendRefund(new Date())), signableUntil: null, signableUntilHeight: null };
  await recordRefundFailed(app.db, sent, 'wrong_amount', new Date());
  await app.pool.query(
    "INSERT INTO refund_request (paid_call_id, reason, requested_at) VALUES ($1, 'other', now())",
    [await addCall(app.pool, {})],
  );
  await addChannel({ id: '0x01', leavingSince: hoursAgo(2) });
  await addChannel({ id: '0x02', claimFailedAt: new Date() });
  await addChannel({ id: '0x03', refundAskedAt: hoursAgo(2) });
  // These are claimed and refunded in time.
  await addChannel({ id: '0x04', leavingSince: new Date(), refundAskedAt: new Date() });
  const address = '192.0.2.1';
  await addReport(
    app,
    { kind: 'form', id: 'fm_1' },
    { reason: 'phishing', details: '', address },
    new Date(),
  );
  await addReport(app, { kind: 'upload', id: 'up_1' }, { reason: 'other', details: '', address }, new Date());

  const listed = countKinds([
    ...(await readWorklist(app, 100)).map(({ kind }) => kind),
    ...(await openReports(app, 100)).map(() => 'report'),
  ]);
  expect(listed).toEqual({
    // Including the call of the failed refund.
    needs_attention: 2,
    unknown_for_long: 1,
    transfer_without_call: 1,
    refund_unfinished: 2,
    refund_failed: 1,
    refund_requested: 1,
    channel_leaving: 1,
    channel_unclaimable: 1,
    channel_refund_unfinished: 1,
    report: 2,
  });
  await showDatabaseFigures(app);
  const { values } = await app.metrics.worklistItems.get();
  expect(Object.fromEntries(values.map(({ labels, value }) => [labels.kind, value]))).toEqual(listed);
});

test('a transfer whose call was refused for good is on the worklist until it is booked, and then its call is', async () => {
  const id = await addCall(app.pool, { states: [['refused', 'service_unavailable']] });
  const { pool, db } = app;
  await pool.query('UPDATE paid_call SET refusal_final_at = now() WHERE id = $1', [id]);
  const transfer = {
    network: 'base',
    asset: 'USDC',
    payer: `0x${'1'.repeat(40)}`,
    authorization: id,
    amountAtomic: 5_000n,
    payTo: 'us',
  } as const;
  const signed = { family: 'erased' } as const;
  const payment = { ...transfer, validBefore: new Date(), signed };
  await recordTransferWithoutCall(app, payment, hash, 'uploads.create', new Date());
  const listed = async () => (await readWorklist(app, 100)).map(({ kind, reason }) => [kind, reason]);
  expect(await listed()).toEqual([['transfer_without_call', null]]);
  expect(await isBookable(app, id)).toBe(true);
  const found = { ...transfer, transactionHash: hash, block: { number: 1n, hash } };
  const booked = await db.$transaction((transaction) => bookTransfer(transaction, found, new Date()));
  expect(booked).toBe(id);
  expect(await listed()).toEqual([['needs_attention', 'transfer_without_call']]);
  expect(await isBookable(app, id)).toBe(false);
  const { rows } = await pool.query(
    'SELECT debit_account, credit_account FROM posting WHERE paid_call_id = $1',
    [id],
  );
  const payer = `prepaid:${transfer.payer}`;
  expect(rows).toEqual([{ debit_account: 'chain:base:treasury', credit_account: payer }]);
});

test('a payment whose outcome is unknown for an hour is listed since then, however often recovery has tried it again', async () => {
  const id = await addCall(app.pool, { createdAt: hoursAgo(2), states: ['unknown', 'settling', 'unknown'] });
  const retry = 'UPDATE paid_call SET state = $2::paid_call_state, moved_at = now() WHERE id = $1';
  await app.pool.query(retry, [id, 'settling']);
  // A call that was delivered and whose payment lost its block a moment ago.
  const fallen = await addCall(app.pool, { createdAt: hoursAgo(3) });
  await app.pool.query(retry, [fallen, 'unknown']);
  const [item, ...others] = await readWorklist(app, 100);
  expect(others).toEqual([]);
  expect(item).toMatchObject({ kind: 'unknown_for_long', id });
  expect(item?.since.getTime()).toBeLessThan(hoursAgo(1.9).getTime());
  await showDatabaseFigures(app);
  const { values } = await app.metrics.oldestCallSeconds.get();
  const settling = values.find(({ labels }) => labels.state === 'settling');
  expect(settling?.value).toBeGreaterThan(1.9 * 3_600);
  await app.pool.query(retry, [id, 'unknown']);
  expect((await readWorklist(app, 100)).map((listed) => listed.id)).toEqual([id]);
});

test('an empty worklist is shown as zeros, so that every series is always there', async () => {
  await showDatabaseFigures(app);
  const { values } = await app.metrics.worklistItems.get();
  expect(values.map(({ value }) => value)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
});
