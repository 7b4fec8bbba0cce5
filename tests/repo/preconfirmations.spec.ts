import { randomBytes } from 'node:crypto';
import type { App } from '@/lib/app';
import { recordMined } from '@/lib/ledger/mined-transactions';
import { recordPreconfirmationLost, recordPreconfirmed } from '@/lib/ledger/preconfirmation-record';
import { lostPayments, preconfirmationStops } from '@/lib/ledger/preconfirmation-stops';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { expect, test } from '../support/without-browser';

let ledger: LedgerApp;
let app: App;

test.beforeAll(async () => {
  ledger = await openLedgerApp();
  app = ledger.app;
});
test.afterAll(() => ledger.close());

const price = 5_000n;

/** A transaction with one call of 5,000 for each payer. */
async function prepare(network: string, payers: readonly string[]) {
  const hash = `0x${randomBytes(32).toString('hex')}`;
  await app.pool.query(
    `INSERT INTO settlement_transaction (id, network, signer, nonce, hash, raw, payments, state, created_at)
     VALUES ($1, $2, '0x2', $3, $1, 'raw', $4, 'prepared', now())`,
    [hash, network, parseInt(hash.slice(2, 12), 16), payers.length],
  );
  const ids = payers.map((_, index) => `${hash}-${index}`);
  for (const [index, payer] of payers.entries()) {
    await app.pool.query(
      `INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
         request_hash, state, payment, valid_before, attempt_at, created_at, moved_at, settlement_id, transaction_hash)
       VALUES ($1, 'uploads.create', 'x402', $2, 'USDC', $3, $1, $4, 'us', 'request', 'settling', 'payment', now(), now(),
         now(), now(), $5, $5)`,
      [ids[index], network, payer, price.toString(), hash],
    );
  }
  return { hash, ids };
}

const openOn = async (network: string) => {
  const { rows } = await app.pool.query<{ open: number; payers: number }>(
    `SELECT count(*)::int AS open, count(DISTINCT payer)::int AS payers FROM paid_call
     JOIN settlement_transaction settlement ON settlement.id = settlement_id
     WHERE settlement.network = $1 AND settlement.state = 'preconfirmed' AND paid_call.state = 'settled'`,
    [network],
  );
  return rows[0];
};

test('however many processes answer at once, no more is open than the limits of network and payer allow', async () => {
  const transactions = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      prepare('base', [`payer ${index % 6}`, `payer ${(index + 1) % 6}`]),
    ),
  );
  const openMax = { onNetwork: 7n * price, ofPayer: 2n * price };
  const settleAll = () =>
    Promise.all(
      transactions.map(({ hash, ids }) =>
        recordPreconfirmed(app, { network: 'base', hash, paidCallIds: ids, openMax }),
      ),
    );
  let settled = 0;
  for (;;) {
    const results = await settleAll();
    settled += results.flatMap((result) => result.settled).length;
    expect((await openOn('base'))?.open).toBeLessThanOrEqual(7);
    if (results.every(({ isRaced }) => !isRaced)) break;
  }
  expect(settled).toBe(7);
  expect((await openOn('base'))?.open).toBe(7);
  const { rows } = await app.pool.query(
    `SELECT payer FROM paid_call WHERE network = 'base' AND state = 'settled' GROUP BY payer HAVING count(*) > 2`,
  );
  expect(rows).toEqual([]);
});

test('a payment that fails in the block of its pre-confirmed transaction is lost alone, and stops its network', async () => {
  const { hash, ids } = await prepare('polygon', ['kept', 'lost']);
  const [, lost = ''] = ids;
  const openMax = { onNetwork: 1_000_000n, ofPayer: 100_000n };
  const transaction = { network: 'polygon', hash, paidCallIds: ids, openMax } as const;
  expect(new Set((await recordPreconfirmed(app, transaction)).settled)).toEqual(new Set(ids));
  await recordMined(app, {
    network: 'polygon',
    hash,
    block: { number: 1n, hash: '0x01' },
    gasUsed: 2n,
    feeAtomic: 2n,
    feeInVainAtomic: 1n,
    outcomes: [],
    inVain: [{ paidCallId: lost, payer: 'lost', gas: 1n }],
    failedIds: [lost],
  });
  const { rows } = await app.pool.query(
    `SELECT payer, state::text, ARRAY(SELECT kind FROM posting WHERE paid_call_id = paid_call.id ORDER BY id) AS kinds
     FROM paid_call WHERE network = 'polygon' ORDER BY payer`,
  );
  expect(rows).toEqual([
    { payer: 'kept', state: 'settled', kinds: ['settled'] },
    { payer: 'lost', state: 'unknown', kinds: ['settled', 'settled_reversed'] },
  ]);
  expect(await preconfirmationStops(app)).toMatchObject([
    { network: 'polygon', transactionHash: hash, lostPayments: 1, lostAtomic: price },
  ]);
  const next = await prepare('polygon', ['next']);
  const result = await recordPreconfirmed(app, {
    network: 'polygon',
    hash: next.hash,
    paidCallIds: next.ids,
    openMax,
  });
  expect(result).toEqual({ settled: [], isRaced: false });
});

test('calls follow the transaction that took the place of a pre-confirmed one', async () => {
  const { hash, ids } = await prepare('arbitrum', ['payer']);
  const openMax = { onNetwork: 1_000_000n, ofPayer: 100_000n };
  await recordPreconfirmed(app, { network: 'arbitrum', hash, paidCallIds: ids, openMax });
  const other = `${hash}-other`;
  await app.pool.query(
    `INSERT INTO settlement_transaction (id, network, signer, nonce, hash, raw, payments, state, created_at)
     SELECT $2, network, signer, nonce, $2, raw, payments, 'prepared', now() FROM settlement_transaction WHERE id = $1`,
    [hash, other],
  );
  await recordMined(app, {
    network: 'arbitrum',
    hash: other,
    block: { number: 1n, hash: '0x01' },
    gasUsed: 2n,
    feeAtomic: 2n,
    feeInVainAtomic: 0n,
    outcomes: [],
    inVain: [],
    failedIds: [],
  });
  const { rows } = await app.pool.query(
    `SELECT settlement_id, transaction_hash, state::text FROM paid_call WHERE network = 'arbitrum'`,
  );
  expect(rows).toEqual([{ settlement_id: other, transaction_hash: other, state: 'settled' }]);
});

test('every payment that is lost is on the worklist, also of an instance whose clock is behind', async () => {
  const transactions = await Promise.all(['first', 'second'].map((payer) => prepare('arbitrum', [payer])));
  const openMax = { onNetwork: 1_000_000n, ofPayer: 100_000n };
  for (const { hash, ids } of transactions)
    await recordPreconfirmed(app, { network: 'arbitrum', hash, paidCallIds: ids, openMax });
  const now = app.clock.now();
  for (const [index, { hash }] of transactions.entries()) {
    const clock = { ...app.clock, date: () => new Date(now - index * 2_000) };
    expect(await recordPreconfirmationLost({ ...app, clock }, 'arbitrum', hash)).toBe(1);
  }
  const lost = (await lostPayments(app, 100)).filter(({ network }) => network === 'arbitrum');
  expect(lost.map(({ payer }) => payer).sort()).toEqual(['first', 'second']);
});
