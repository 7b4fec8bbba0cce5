import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { App } from '@/lib/app';
import { jobs } from '@/lib/jobs/jobs';
import { readWorklist } from '@/lib/ledger/worklist';
import { askApp } from '../support/ask-app';
import type { Wallet } from '../support/buyer';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { addCall, addSettlement } from '../support/ledger-rows';
import { askedIn, messageFor, signedHeader, signMessage } from '../support/wallet-sign-in';
import { expect, test } from '../support/without-browser';

/** A wallet that has paid requests a refund, and the operator grants or declines it. */

let ledger: LedgerApp;
let app: App;

test.beforeAll(async () => {
  ledger = await openLedgerApp();
  app = ledger.app;
});
test.afterAll(() => ledger.close());

const newWallet = () => privateKeyToAccount(generatePrivateKey());
const operator = { name: 'cli: ada', address: null };
const wrong = { reason: 'wrong_result', message: 'The PDF has no second page.' };

async function send(id: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const url = `${app.settings.PUBLIC_URL}/v1/paid-calls/${id}/refund-request`;
  const init = { method: 'POST', body: JSON.stringify(body), headers };
  const answer = await askApp(app, new Request(url, init));
  return new Response(answer.body, { status: answer.status, headers: { ...answer.headers } });
}

/** Requests a refund as a wallet, signed in. */
async function request(id: string, wallet: Wallet, body: object = wrong) {
  const message = messageFor(askedIn(await send(id, body)), wallet);
  const answer = await send(id, body, signedHeader(await signMessage(message, wallet)));
  return { status: answer.status, body: await answer.json() };
}

const onWorklist = async (id: string) =>
  (await readWorklist(app, 100)).filter((item) => item.kind === 'refund_requested' && item.id === id);

test('the wallet that paid requests a refund once, and reads why it is declined', async () => {
  const wallet = newWallet();
  const id = await addCall(app.pool, { payer: wallet.address, states: ['settled', 'delivered'] });
  const first = await request(id, wallet);
  const open = {
    ...{ paidCallId: id, state: 'open', reason: 'wrong_result' },
    ...{ requestedAt: expect.any(String), answer: null, declinedAt: null },
  };
  expect(first).toEqual({ status: 200, body: open });
  expect(await request(id, wallet, { reason: 'other', message: 'Another story.' })).toEqual(first);
  expect(await onWorklist(id)).toMatchObject([{ payer: wallet.address, reason: 'wrong_result' }]);
  const stored = await app.pool.query('SELECT message FROM refund_request WHERE paid_call_id = $1', [id]);
  expect(stored.rows[0].message.toString()).not.toContain('page');
  expect(await app.console.readRefundRequest(id)).toMatchObject({ hasMessage: true, state: 'open' });
  expect(await app.console.showRefundMessage(operator, id)).toBe(wrong.message);

  expect(await app.console.declineRefund(operator, id, 'The HTML had one page.')).toBe(true);
  expect(await app.console.declineRefund(operator, id, 'Again.')).toBe(false);
  const declined = {
    ...open,
    state: 'declined',
    answer: 'The HTML had one page.',
    declinedAt: expect.any(String),
  };
  expect((await request(id, wallet)).body).toEqual(declined);
  expect(await onWorklist(id)).toEqual([]);
  expect(await app.console.readRefundRequest(id)).toMatchObject({ hasMessage: false });
  expect(await app.console.showRefundMessage(operator, id)).toBeNull();
  const actions = await app.pool.query(
    'SELECT actor, action, note FROM operator_action WHERE target_id = $1 ORDER BY id',
    [id],
  );
  // Reading what the payer wrote is recorded, if there is anything.
  expect(actions.rows).toEqual([
    { actor: operator.name, action: 'refund.read', note: null },
    { actor: operator.name, action: 'refund.decline', note: 'The HTML had one page.' },
  ]);
});

test('a refund of the call ends the request, and one that is cancelled opens it again', async () => {
  const wallet = newWallet();
  const hash = `0x${'ab'.repeat(32)}`;
  const settlementId = await addSettlement(app.pool, { hash, at: new Date(), feeAtomic: 1n });
  await app.pool.query('UPDATE settlement_transaction SET final_at = now()');
  const id = await addCall(app.pool, {
    ...{ payer: wallet.address, settlementId, transactionHash: hash },
    states: ['settled', ['needs_attention', 'delivery_failed']],
  });
  expect((await request(id, wallet, { reason: 'not_delivered' })).body.state).toBe('open');
  await app.pool.query(
    `INSERT INTO refund (id, paid_call_id, round, method, state, network, asset, recipient, amount_atomic, reason, check_at,
         requested_at, moved_at)
       SELECT 'rf_' || $1, id, 0, 'transfer', 'requested', network, asset, payer, amount_atomic, 'not_delivered', now(), now(), now()
       FROM paid_call WHERE id = $1`,
    [id],
  );
  expect((await request(id, wallet)).body.state).toBe('refunded');
  expect(await onWorklist(id)).toEqual([]);
  expect(await app.console.declineRefund(operator, id, 'Too late.')).toBe(false);
  await app.pool.query("UPDATE refund SET state = 'cancelled', moved_at = now() WHERE paid_call_id = $1", [
    id,
  ]);
  expect((await request(id, wallet)).body.state).toBe('open');
  expect(await onWorklist(id)).toHaveLength(1);
});

test('only the wallet that paid can request it, and only for a call that can be refunded', async () => {
  const [wallet, other] = [newWallet(), newWallet()];
  const payer = wallet.address;
  const id = await addCall(app.pool, { payer, states: ['settled', 'delivered'] });
  expect((await request(id, other)).body.error.code).toBe('paid_call_not_found');
  expect((await request('pc_nothing', wallet)).body.error.code).toBe('paid_call_not_found');
  for (const states of [[], ['settled'], ['unknown']] as const) {
    const call = await addCall(app.pool, { payer, states: [...states] });
    expect((await request(call, wallet)).body.error.code, states.join()).toBe('refund_not_possible');
  }
  for (const body of [
    {},
    { reason: 'greed' },
    { ...wrong, message: 'x'.repeat(1_001) },
    { ...wrong, more: 1 },
  ])
    expect((await send(id, body)).status, JSON.stringify(body)).toBe(400);
  const unsigned = await send(id, wrong);
  expect([unsigned.status, (await unsigned.json()).accepts]).toEqual([402, []]);
  expect((await app.pool.query('SELECT FROM refund_request WHERE paid_call_id = $1', [id])).rowCount).toBe(0);
});

test('the words of a payer are erased after 90 days', async () => {
  const wallet = newWallet();
  const id = await addCall(app.pool, { payer: wallet.address, states: ['settled', 'delivered'] });
  await request(id, wallet);
  const job = jobs.find(({ name }) => name === 'erase-refund-messages');
  const erase = (days: number) => job?.run(app, new Date(Date.now() + days * 86_400_000));
  await erase(89);
  expect((await app.console.readRefundRequest(id))?.hasMessage).toBe(true);
  await erase(91);
  expect(await app.console.readRefundRequest(id)).toMatchObject({ hasMessage: false, state: 'open' });
});
