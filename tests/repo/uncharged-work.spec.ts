import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { WorkBudget } from '@/lib/calls/work-budget';
import { unchargedWorkBudgets } from '@/lib/catalog/uncharged-work';
import { workRecord } from '@/lib/ledger/work-record';
import type { Payment } from '@/lib/payments/payment';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { expect, test } from '../support/without-browser';

// Budgets of payers, in a database. The tests share it, and each has an address of its own.

let opened: LedgerApp;
let ledger: pg.Pool;
test.beforeAll(async () => {
  opened = await openLedgerApp();
  ledger = opened.ledger;
});
test.afterAll(() => opened.close());

/** The budget of a service that renders. */
function budget(): WorkBudget {
  const { app } = opened;
  return new WorkBudget({
    record: workRecord(app),
    factor: 1,
    kind: () => 'browser',
    problems: app.problems,
  });
}

const asset = 'USDC';

/** A payment by the owner of an address on a network. */
function paymentOn(network: Payment['network'], payer: string, signer: 'key' | 'wallet'): Payment {
  const authorization = {
    from: '0x1',
    to: '0x2',
    value: '1',
    validAfter: '0',
    validBefore: '1',
    nonce: '0x3',
  } as const;
  return {
    network,
    asset,
    payer,
    authorization: `0x${randomBytes(32).toString('hex')}`,
    amountAtomic: 5_000n,
    payTo: 'us',
    validBefore: new Date(),
    signed: { family: 'evm', authorization, signature: '0x', signer },
  };
}

const newAddress = () => `0x${randomBytes(20).toString('hex')}`;

const budgetOf = (payment: Payment) => budget().check(payment, '', new Date());

/** Whether a payer is refused because of its earlier work. */
const isRefused = (payment: Payment) =>
  budgetOf(payment).then(
    () => false,
    (error: { code?: string }) => error.code === 'uncharged_work_limit',
  );

async function useUp(payment: Payment) {
  const refused = { kind: 'refused', reason: 'nonce_already_used' } as const;
  const use = await budgetOf(payment);
  await budget().settle(use, refused, unchargedWorkBudgets.browser.payer, new Date());
}

/** Stores a call that was charged. */
async function addCharged({ network, payer, authorization }: Payment) {
  const one = await ledger.connect();
  // Calls are not charged at once, which triggers check.
  await one.query('SET session_replication_role = replica');
  await one.query(
    `INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
       request_hash, state, payment, valid_before, attempt_at, created_at, moved_at)
     VALUES ($1, 'uploads.create', 'x402', $2, $3, $4, $5, 5000, 'us', 'request', 'delivered', 'payment', now(), now(),
       now(), now())`,
    [`pc_${randomBytes(12).toString('hex')}`, network, asset, payer, authorization],
  );
  one.release(true);
}

test('the owner of a contract wallet does not use up the budget of another owner of the same address', async () => {
  const address = newAddress();
  const [there, here] = (['polygon', 'base'] as const).map((network) =>
    paymentOn(network, address, 'wallet'),
  );
  if (!there || !here) throw new Error('there are two payments');
  await useUp(there);
  expect(await isRefused(there)).toBe(true);
  expect(await isRefused(here)).toBe(false);
});

test('a key has one budget on all networks', async () => {
  const address = newAddress();
  await useUp(paymentOn('polygon', address, 'key'));
  expect(await isRefused(paymentOn('base', address, 'key'))).toBe(true);
});

test('a contract wallet that was charged on one network is a newcomer at the same address on another', async () => {
  const address = newAddress();
  await addCharged(paymentOn('polygon', address, 'wallet'));
  const newcomers = await Promise.all(
    (['wallet', 'key'] as const).flatMap((signer) =>
      (['polygon', 'base'] as const).map(async (network) => {
        const { isNewcomer } = await budgetOf(paymentOn(network, address, signer));
        return `${signer} on ${network}: ${isNewcomer}`;
      }),
    ),
  );
  expect(newcomers).toEqual([
    'wallet on polygon: false',
    'wallet on base: true',
    'key on polygon: false',
    'key on base: false',
  ]);
});
