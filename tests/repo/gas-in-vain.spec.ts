import type pg from 'pg';
import { gasInVain } from '@/lib/ledger/gas-in-vain';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { addCall, addSettlement } from '../support/ledger-rows';
import { expect, test } from '../support/without-browser';

/** Gas that failed payments have cost, as the ledger counts it for budgets. */

let opened: LedgerApp;
let ledger: pg.Pool;
test.beforeAll(async () => {
  opened = await openLedgerApp();
  ledger = opened.ledger;
});
test.afterAll(() => opened.close());

const hourMs = 3_600_000;
const ago = (hours: number) => new Date(Date.now() - hours * hourMs);

let hashes = 0;
async function fail(payer: string, code: string | null, gas: number, at: Date, network = 'base') {
  hashes += 1;
  const settlement = await addSettlement(ledger, { network, hash: `0x${hashes}`, at, feeAtomic: 1n });
  const call = await addCall(ledger, { network, payer, states: [['refused', 'failed']] });
  await ledger.query(
    'INSERT INTO gas_in_vain (settlement_id, paid_call_id, network, payer, code, gas, at) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [settlement, call, network, payer, code, gas, at],
  );
}

test('gas in vain is summed by payer, by code, by the payers of a client, and over all payers with code', async () => {
  const by = { ofPayerSince: ago(168), ofOthersSince: ago(1), sameClient: ['0xneighbor', '0xother'] };
  const nothing = { gas: 0n, oldest: null };
  expect(await gasInVain(opened.app, 'base', '0xpayer', null, by)).toEqual({
    ofPayer: [],
    byCode: nothing,
    byClient: nothing,
    byAll: nothing,
    hasPaid: false,
  });
  await fail('0xpayer', '0xc0de', 100, ago(0.1));
  await fail('0xpayer', '0xc0de', 200, ago(100));
  await fail('0xpayer', '0xc0de', 400, ago(200));
  await fail('0xtwin', '0xc0de', 800, ago(0.2));
  await fail('0xneighbor', '0xa', 1_600, ago(0.3));
  await fail('0xstranger', '0xb', 3_200, ago(0.4));
  await fail('0xkey', null, 6_400, ago(0.1));
  await fail('0xneighbor', '0xa', 12_800, ago(0.1), 'polygon');
  const spent = await gasInVain(opened.app, 'base', '0xpayer', '0xc0de', by);
  expect(spent.ofPayer.map(({ gas }) => gas)).toEqual([100n, 200n]);
  expect([spent.byCode.gas, spent.byClient.gas, spent.byAll.gas]).toEqual([900n, 1_600n, 5_700n]);
  expect(spent.byAll.oldest?.getTime()).toBeCloseTo(ago(0.4).getTime(), -5);
  expect(spent.hasPaid).toBe(false);
  await addCall(ledger, { payer: '0xpayer' });
  expect((await gasInVain(opened.app, 'base', '0xpayer', '0xc0de', by)).hasPaid).toBe(true);
});
