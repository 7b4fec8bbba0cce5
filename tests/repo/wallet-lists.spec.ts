import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getAddress, type Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { type App, createApp } from '@/lib/app';
import { legalMoves, type PaidCallState } from '@/lib/ledger/states';
import { deployAt, ownedBy } from '../support/contract-wallets';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { testPlatform } from '../support/platform';
import { network } from '../support/stack';
import { readList, signerFor } from '../support/wallet-sign-in';
import { expect, test } from '../support/without-browser';

/** Wallet lists over a ledger with rows that no test could buy. */

let database: NewDatabase;
let storageDir: string;
let app: App;

test.beforeAll(async () => {
  database = await migratedDatabase();
  storageDir = await mkdtemp(path.join(tmpdir(), 'tuppence-lists-'));
  const { log, settings } = testPlatform({
    DATABASE_URL: database.url,
    BASE_RPC_URL: network('base').rpcUrl,
    POLYGON_RPC_URL: network('polygon').rpcUrl,
    STORAGE: 'disk',
    STORAGE_DIR: storageDir,
    RATE_LIMIT_FACTOR: '0',
  });
  app = createApp({ settings, log });
});
test.afterAll(async () => {
  await app.close();
  await database.drop();
  await rm(storageDir, { recursive: true });
});

interface Row {
  readonly id: string;
  readonly payer: string;
  readonly on: 'base' | 'polygon' | 'account';
  readonly state?: PaidCallState;
}

/** Inserts a call directly in its state, with an upload and a form that it has bought. */
async function addCall({ id, payer, on, state = 'delivered' }: Row): Promise<void> {
  const client = await app.pool.connect();
  try {
    await client.query('SET session_replication_role = replica');
    await client.query(
      `INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
         request_hash, state, valid_before, attempt_at, created_at, moved_at)
       VALUES ($1, 'uploads.create', 'x402', $2, 'usdc', $3, $1, 5000, 'us', '', $4, now(), now(), now(), now())`,
      [id, on, payer, state],
    );
    await client.query(
      `INSERT INTO upload (id, paid_call_id, owner, mime, size_bytes, sha256, slug, link_token, tags, created_at,
         upload_url_expires_at, expires_at)
       VALUES ('up_' || $1, $1, $2, 'text/plain', 1, '', 'a.txt', $1, '{}', now(), now(), now() + interval '1 day')`,
      [id, payer],
    );
    await client.query(
      `INSERT INTO form (id, paid_call_id, owner, created_at, read_token_hash, content, closes_at, readable_until,
         max_responses)
       VALUES ('fm_' || $1, $1, $2, now(), '', '{"title": "Lunch"}', now(), now() + interval '1 day', 100)`,
      [id, payer],
    );
  } finally {
    // The app uses the connection next.
    await client.query('RESET session_replication_role');
    client.release();
  }
}

type List = 'uploads' | 'forms' | 'calls';

async function read(list: List, wallet: PrivateKeyAccount, chainId?: string) {
  return (await readList(app, list, wallet, chainId))[list];
}

const idsOf = (entries: readonly { id: string }[]) => entries.map(({ id }) => id).sort();

test('a contract wallet lists what was paid on its network, and a key what was paid on any', async () => {
  const owner = privateKeyToAccount(generatePrivateKey());
  const contract = getAddress(await deployAt('polygon', ownedBy(owner)));
  const key = privateKeyToAccount(generatePrivateKey());
  for (const [name, payer] of [
    ['contract', contract],
    ['key', key.address],
  ] as const)
    for (const on of ['base', 'polygon'] as const) await addCall({ id: `${name}.${on}`, payer, on });
  const { caip2 } = network('polygon');
  const byContract = signerFor(contract as Hex, owner);
  expect(idsOf(await read('calls', byContract, caip2))).toEqual(['contract.polygon']);
  expect(idsOf(await read('uploads', byContract, caip2))).toEqual(['up_contract.polygon']);
  expect(idsOf(await read('forms', byContract, caip2))).toEqual(['fm_contract.polygon']);
  expect(idsOf(await read('calls', key, caip2))).toEqual(['key.base', 'key.polygon']);
  expect(idsOf(await read('uploads', key, caip2))).toEqual(['up_key.base', 'up_key.polygon']);
  expect(idsOf(await read('forms', key, caip2))).toEqual(['fm_key.base', 'fm_key.polygon']);
});

test('pages of a contract wallet are full, and no page or cursor names what another owner has at its address', async () => {
  const [owner, neighbor] = [
    privateKeyToAccount(generatePrivateKey()),
    privateKeyToAccount(generatePrivateKey()),
  ];
  const payer = getAddress(await deployAt('base', ownedBy(owner)));
  await deployAt('polygon', ownedBy(neighbor), payer);
  const add = (name: string, on: 'base' | 'polygon') => addCall({ id: `pc_${name}`, payer, on });
  // More consecutive calls of the neighbor than one statement reads.
  await add('neighbors_first', 'polygon');
  await add('own_1', 'base');
  for (let count = 0; count < 420; count += 1) await add(`neighbors_${count}`, 'polygon');
  await add('own_2', 'base');
  await add('own_3', 'base');
  await add('neighbors_last', 'polygon');
  const wallet = signerFor(payer, owner);
  const { caip2 } = network('base');
  for (const [list, prefix] of [
    ['calls', ''],
    ['uploads', 'up_'],
    ['forms', 'fm_'],
  ] as const) {
    const seen: string[][] = [];
    let cursor: string | null = null;
    do {
      const page: { nextCursor: string | null } & Record<string, { id: string }[]> = await readList(
        app,
        `${list}?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`,
        wallet,
        caip2,
      );
      expect(JSON.stringify(page)).not.toContain('neighbors');
      seen.push(idsOf(page[list] ?? []));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen.every((ids) => ids.length === 1)).toBe(true);
    const own = ['own_1', 'own_2', 'own_3'].map((name) => `${prefix}pc_${name}`);
    expect(seen.flat().sort()).toEqual(own);
    expect(idsOf(await read(list, wallet, caip2))).toEqual(own);
    const foreign = readList(app, `${list}?cursor=${prefix}pc_neighbors_1`, wallet, caip2);
    await expect(foreign).rejects.toThrow('must be the nextCursor of an earlier response');
  }
});

test('calls are listed once they are paid, or may be, and never those of an account', async () => {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const states = Object.keys(legalMoves) as PaidCallState[];
  for (const state of states)
    await addCall({ id: `state.${state}`, payer: wallet.address, on: 'base', state });
  // No account has such an ID.
  await addCall({ id: 'account', payer: wallet.address, on: 'account' });
  const calls: readonly { id: string; state: string; payment: string }[] = await read('calls', wallet);
  expect(Object.fromEntries(calls.map(({ state, payment }) => [state, payment]))).toEqual({
    settled: 'kept',
    delivered: 'kept',
    kept: 'kept',
    needs_attention: 'kept',
    refunded: 'refunded',
    unknown: 'unknown',
  });
  expect(calls).toHaveLength(6);
});

test('a nonce is kept until no process accepts it, and then deleted', async () => {
  const forget = app.jobs.find(({ name }) => name === 'forget-sign-ins');
  await app.db.usedSignIn.deleteMany();
  await read('calls', privateKeyToAccount(generatePrivateKey()));
  const [used] = await app.db.usedSignIn.findMany();
  const validUntil = Date.now() + 300_000;
  expect(used?.forgetAt.getTime()).toBeGreaterThan(validUntil);
  await forget?.run(new Date(validUntil));
  expect(await app.db.usedSignIn.count()).toBe(1);
  await forget?.run(new Date(validUntil + 120_000));
  expect(await app.db.usedSignIn.count()).toBe(0);
});
