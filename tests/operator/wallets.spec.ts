import pg from 'pg';
import { type App, createApp } from '@/lib/app';
import { readWallets } from '@/lib/operator/console/wallets';
import { newOrderedId } from '@/lib/platform/ids';
import { parseSettings } from '@/lib/platform/settings';
import { findFreePort } from '@/local/free-port';
import { addCall, addSettlement } from '../support/ledger-rows';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { testPlatform } from '../support/platform';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

let database: NewDatabase;
let ledger: pg.Pool;
let app: App;

test.beforeAll(async () => {
  database = await migratedDatabase();
  ledger = new pg.Pool({ connectionString: database.url, max: 2 });
  const settings = parseSettings({
    ...stack().serverEnv,
    PUBLIC_URL: stack().apiUrl,
    FILES_URL: stack().filesUrl,
    DATABASE_URL: database.url,
    // Nothing listens there.
    POLYGON_RPC_URL: `http://127.0.0.1:${await findFreePort()}`,
  });
  app = createApp({ settings, log: testPlatform().log });
});
test.afterAll(async () => {
  await app.close();
  await ledger.end();
  await database.drop();
});

const walletOn = async (network: string) =>
  (await readWallets(app)).find((wallet) => wallet.network === network);

test('wallets show what the chain holds, how long gas lasts, leases and pending transactions', async () => {
  const before = await walletOn('base');
  const [key] = before?.keys ?? [];
  if (!before || !key) throw new Error('there is no key on base');
  expect(before).toMatchObject({ gasPerDay: 0n, ledgerAtomic: 0n, problem: null, pending: 0 });
  expect(before.treasuryAtomic).toBeGreaterThanOrEqual(0n);
  expect(key.gasAtomic).toBeGreaterThan(0n);
  expect(key).toMatchObject({ hoursLeft: null, leasedBy: null });

  const now = new Date();
  await addSettlement(ledger, { hash: '0x1', at: now, feeAtomic: 1_000_000_000n });
  // Yesterday's gas does not count.
  await addSettlement(ledger, { hash: '0x2', at: new Date(now.getTime() - 90_000_000), feeAtomic: 5n });
  await addCall(ledger, { createdAt: new Date(now.getTime() - 60_000), amountAtomic: 7_000 });
  await ledger.query(
    `INSERT INTO settlement_transaction (id, network, signer, nonce, hash, payments, state, created_at)
     VALUES ($1, 'base', $2, 1, '0x3', 1, 'prepared', $3)`,
    [newOrderedId('st', now), key.address, now],
  );
  await app.instance.start(['base']);
  await ledger.query(`INSERT INTO settlement_signer (network, signer, holder) VALUES ('base', $1, $2)`, [
    key.address,
    app.instance.id,
  ]);
  const leased = async () =>
    (await walletOn('base'))?.keys.find(({ address }) => address === key.address)?.leasedBy;
  const after = await walletOn('base');
  expect(after).toMatchObject({
    gasPerDay: 1_000_000_000n,
    ledgerAtomic: 7_000n,
    pending: 1,
    oldestPendingAt: now,
  });
  const share = 1e9 / (after?.keys.length ?? 1);
  expect(after?.keys[0]?.hoursLeft).toBeCloseTo((Number(after?.keys[0]?.gasAtomic) / share) * 24, 0);
  expect(await leased()).toBe(app.instance.id);
  // A dead process holds its lease until another process takes it over, but sends nothing.
  await ledger.query("UPDATE instance SET alive_until = now() - interval '1 minute'");
  expect(await leased()).toBeNull();
});

test('a chain that cannot be read does not hide the wallets of the others', async () => {
  expect(await walletOn('polygon')).toMatchObject({
    treasuryAtomic: null,
    keys: [],
    problem: expect.stringMatching(/./),
  });
  expect(await walletOn('solana-mainnet')).toMatchObject({
    problem: null,
    treasuryAtomic: expect.any(BigInt),
  });
});
