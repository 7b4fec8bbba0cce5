import type pg from 'pg';
import { newOrderedId } from '@/lib/platform/ids';
import { addCall, addSettlement } from './ledger-rows';

/** A ledger with calls in every state, for the pages of the console. */

/** The payer of most calls. */
const ledgerPayer = `0x${'Ab'.repeat(20)}`;
const hash = `0x${'3c'.repeat(32)}`;

/** The rows that have pages of their own. */
export interface ConsoleLedger {
  readonly delivered: string;
  readonly needsAttention: string;
  /** A call whose refund waits for the wallet. */
  readonly toSign: string;
  /** A call whose payer requests a refund, in words that no key opens. */
  readonly requested: string;
  /** A payment that belongs to no call. */
  readonly booked: string;
  /** A form that somebody has reported. */
  readonly form: string;
}

/** A month of business on two networks, with everything that can go wrong. It leaves no work for recovery. */
export async function fillConsoleLedger(ledger: pg.Pool): Promise<ConsoleLedger> {
  let delivered = '';
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
      delivered = await addCall(ledger, {
        operation,
        network,
        createdAt,
        payer: ledgerPayer,
        amountAtomic: 5_000 * (nth + 1),
        settlementId,
        transactionHash,
      });
    }
  }
  const createdAt = new Date(startMs - 3 * 3_600_000);
  const call = (states: NonNullable<Parameters<typeof addCall>[1]['states']>, operation = 'uploads.renew') =>
    addCall(ledger, { createdAt, states, operation, transactionHash: hash });
  const needsAttention = await call(['settled', ['needs_attention', 'upload_not_found']]);
  await call(['unknown']);
  await call([['refused', 'insufficient_funds']]);
  const form = await addForm(ledger, needsAttention);
  const toSign = await callToSign(ledger, createdAt);
  const requested = await call(['settled', 'delivered']);
  await ledger.query(
    `INSERT INTO refund_request (paid_call_id, reason, message, requested_at) VALUES ($1, 'wrong_result', '\\x00', now())`,
    [requested],
  );
  const booked = await bookedTransfer(ledger, createdAt);
  await addChannels(ledger);
  await call(['settled', 'kept'], 'serp.search');
  await ledger.query(`UPDATE paid_call SET attempt_at = now() + interval '1 day', refusal_final_at = now()`);
  await ledger.query('UPDATE settlement_transaction SET final_at = confirmed_at');
  return { delivered, needsAttention, toSign, requested, booked, form };
}

/** Payment channels: one in use, one whose payer is withdrawing everything, an empty one, and one that waits for its refund. */
async function addChannels(ledger: pg.Pool): Promise<void> {
  for (const [nth, balance, spent, claimed, withdrawing] of [
    [1, 5_000_000, 1_250_000, 1_200_000, 0],
    [2, 1_000_000, 15_000, 0, 1_000_000],
    [3, 15_000, 15_000, 15_000, 0],
    [4, 1_000_000, 5_000, 5_000, 0],
  ] as const)
    await ledger.query(
      `INSERT INTO channel (id, network, payer, receiver, receiver_authorizer, token, withdraw_delay, salt, balance_atomic,
         withdrawing_atomic, claimed_atomic, read_at_block, read_at, opened_atomic, charged_atomic, created_at, used_at)
       VALUES ($1, 'base', $2, '0x01', '0x02', '0x03', 86400, '0x', $3, $4, $5, 1, now(), 0, $6, now(),
         now() - interval '3 hours')`,
      [`0x${String(nth).repeat(64)}`, `0x${String(nth).repeat(40)}`, balance, withdrawing, claimed, spent],
    );
  await ledger.query(
    `UPDATE channel SET refund_atomic = 995000, refund_number = 0, refund_asked_at = now() - interval '2 hours'
     WHERE id = $1`,
    [`0x${'4'.repeat(64)}`],
  );
}

/** A call whose refund waits for a signature in the wallet. */
async function callToSign(ledger: pg.Pool, createdAt: Date): Promise<string> {
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
async function bookedTransfer(ledger: pg.Pool, createdAt: Date): Promise<string> {
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
async function addForm(ledger: pg.Pool, paidCallId: string): Promise<string> {
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
    [id, paidCallId, content],
  );
  await ledger.query(
    `INSERT INTO abuse_report (id, target_kind, target_id, reason, reported_at) VALUES ('fa_1', 'form', $1, 'secrets', now())`,
    [id],
  );
  return id;
}

/** Every console page for this ledger, with the name of its screenshot. */
export const consolePages = (ids: ConsoleLedger): [name: string, path: string][] => [
  ['overview', '/operator'],
  ['worklist', '/operator/worklist'],
  ['calls', '/operator/calls'],
  ['call-delivered', `/operator/calls?state=delivered`],
  ['call', `/operator/calls/${ids.needsAttention}`],
  ['call-not-found', '/operator/calls/pc_000000000000000000000000'],
  ['refund', `/operator/calls/${ids.delivered}/refund`],
  ['call-requested', `/operator/calls/${ids.requested}`],
  ['decline', `/operator/calls/${ids.requested}/decline`],
  ['refund-open', `/operator/calls/${ids.toSign}/refund`],
  ['refund-signing', `/operator/calls/${ids.toSign}/refund/wallet`],
  ['refund-not-yet', `/operator/calls/${ids.needsAttention}/refund`],
  ['transfers', '/operator/transfers'],
  ['booked', `/operator/calls/${ids.booked}`],
  ['keep', `/operator/calls/${ids.booked}/keep`],
  ['wallets', '/operator/wallets'],
  ['channels', '/operator/channels'],
  ['system', '/operator/system'],
  ['reports', '/operator/reports'],
  ['form', `/operator/forms/${ids.form}`],
  ['log', '/operator/log'],
];
