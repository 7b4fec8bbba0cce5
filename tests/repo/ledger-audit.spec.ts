import { expect, test } from '@playwright/test';
import pg from 'pg';
import type { ChainTransfer } from '@/lib/operator/audit/chain-transfers';
import { auditLedger } from '@/lib/operator/audit/findings';
import { type Connections, type Finding, pageRows } from '@/lib/operator/audit/session';
import { systemClock } from '@/lib/platform/clock';
import { loadLedger } from '../bench/ledger-loader';
import { callsOnChain } from '../bench/loaded-rows';
import { migratedDatabase, type NewDatabase } from '../support/new-database';

const calls = 3_500;
const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const seller = {
  signer: '0x1111111111111111111111111111111111111111',
  payTo: '0x2222222222222222222222222222222222222222',
} as const;

/** A ledger of delivered calls in a database of its own. No test changes it for good. */
let ledger: pg.Pool;
let database: NewDatabase;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  database = await migratedDatabase();
  await loadLedger(database.url, { seller, asset, calls, answers: Buffer.from('sealed') });
  ledger = new pg.Pool({ connectionString: database.url });
  ledger.on('error', () => undefined);
});
test.afterAll(async () => {
  await ledger.end();
  await database.drop();
});

/** What the chain would say of the ledger: one transfer for every call that was paid on it. */
async function transfersOf(ledger: pg.Pool): Promise<ChainTransfer[]> {
  const { rows } = await ledger.query<{ payer: string; authorization: string; hash: string; amount: string }>(
    'SELECT payer, "authorization", transaction_hash AS hash, amount_atomic::text AS amount FROM paid_call WHERE network = \'base\' ORDER BY id',
  );
  return rows.map(({ payer, authorization, hash, amount }) => ({
    network: 'base',
    asset,
    payer,
    authorization,
    amountAtomic: BigInt(amount),
    transactionHash: hash,
  }));
}

async function* inPages(transfers: readonly ChainTransfer[]) {
  for (let first = 0; first < transfers.length; first += 100) yield transfers.slice(first, first + 100);
}

async function audit(connections: Connections, transfers: readonly ChainTransfer[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  const sources = [{ network: 'base', transfers: inPages(transfers) }];
  for await (const finding of auditLedger(systemClock, connections, sources)) findings.push(finding);
  return findings;
}

/** Does something to the ledger for as long as the work takes. */
async function changing<T>(ledger: pg.Pool, sql: string, work: () => Promise<T>, undo: string): Promise<T> {
  await ledger.query(sql);
  try {
    return await work();
  } finally {
    await ledger.query(undo);
  }
}

test('a ledger in order has no findings', async () => {
  expect(await audit(ledger, await transfersOf(ledger))).toEqual([]);
});

test('two payers who chose the same nonce are two payments, both in order', async () => {
  const [one, other] = (await transfersOf(ledger)) as [ChainTransfer, ChainTransfer];
  const setNonce = (payer: string, from: string, to: string) =>
    `UPDATE paid_call SET "authorization" = '${to}' WHERE payer = '${payer}' AND "authorization" = '${from}'`;
  const findings = await changing(
    ledger,
    setNonce(other.payer ?? '', other.authorization, one.authorization),
    async () => audit(ledger, await transfersOf(ledger)),
    setNonce(other.payer ?? '', one.authorization, other.authorization),
  );
  expect(findings).toEqual([]);
});

test('a transfer without a call is found although another payer has a call with its nonce', async () => {
  const transfers = await transfersOf(ledger);
  const [one] = transfers as [ChainTransfer];
  const orphan = { ...one, payer: '0x3333333333333333333333333333333333333333', transactionHash: '0xabc' };
  expect(await audit(ledger, [...transfers, orphan])).toEqual([
    {
      promise: 'a used authorization has a paid call',
      about: `base ${orphan.payer} ${one.authorization} in 0xabc`,
    },
  ]);
});

test('a transfer of another token is not the payment of a call', async () => {
  const [one, ...others] = (await transfersOf(ledger)) as [ChainTransfer, ...ChainTransfer[]];
  const findings = await audit(ledger, [
    { ...one, asset: '0x4444444444444444444444444444444444444444' },
    ...others,
  ]);
  expect(findings.map(({ promise }) => promise).sort()).toEqual([
    'a settled call has exactly one transfer',
    'a used authorization has a paid call',
  ]);
});

test('however much is wrong, the audit holds one page of it at a time', async () => {
  const answers: number[] = [];
  const counting: Connections = {
    async connect() {
      const client = await ledger.connect();
      return {
        async query(sql, values) {
          const answer = await client.query(sql, values);
          answers.push(answer.rows.length);
          return answer;
        },
        release: (destroy) => client.release(destroy),
      };
    },
  };
  expect(await audit(counting, [])).toHaveLength(callsOnChain(calls));
  expect(Math.max(...answers)).toBe(pageRows);
});
