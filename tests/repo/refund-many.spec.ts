import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { createApp } from '@/lib/app';
import { UsageError } from '@/lib/operator/commands/command';
import { refund } from '@/lib/operator/commands/refund';
import { createLog } from '@/lib/platform/log';
import { addCall, addSettlement, type CallRow } from '../support/ledger-rows';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { leastSettings } from '../support/platform';
import { expect, test } from '../support/without-browser';

/** `refund` for many calls; tests/operator/refund.spec.ts is about single ones. */

let database: NewDatabase;
let ledger: pg.Pool;
const accountId = `acct_${'M'.repeat(24)}`;
const otherId = `acct_${'N'.repeat(24)}`;
const hourOf = (hour: number) => new Date(Date.UTC(2026, 5, 1, hour));
const hash = `0x${'cd'.repeat(32)}`;

test.beforeEach(async () => {
  database = await migratedDatabase();
  ledger = new pg.Pool({ connectionString: database.url, max: 2 });
  await ledger.query('INSERT INTO account (id, created_at) VALUES ($1, now()), ($2, now())', [
    accountId,
    otherId,
  ]);
});
test.afterEach(async () => {
  await ledger.end();
  await database.drop();
});

async function addKept(status: number, row: CallRow = {}): Promise<string> {
  const id = await addCall(ledger, {
    operation: 'neural.search',
    states: ['settled', 'kept'],
    createdAt: hourOf(10),
    ...row,
  });
  await ledger.query('UPDATE paid_call SET answer_status = $2 WHERE id = $1', [id, status]);
  return id;
}
const fromAccount: CallRow = { network: 'account', rail: 'account', payer: accountId };

async function addFinalSettlement(): Promise<string> {
  const id = await addSettlement(ledger, { hash, at: hourOf(9), feeAtomic: 21_000n });
  await ledger.query('UPDATE settlement_transaction SET final_at = now() WHERE id = $1', [id]);
  return id;
}

async function tuppence(...args: string[]) {
  const printed: string[] = [];
  const exitCode = await refund.run([...args, '--json'], {
    env: { ...leastSettings, DATABASE_URL: database.url },
    operator: { name: 'cli:test', address: null },
    hasColor: false,
    print: (line) => printed.push(line),
    write: async (text) => void printed.push(text),
    read: (file) => readFile(file, 'utf8'),
    printError: (line) => printed.push(line),
    openApp: (parsed) => createApp({ settings: parsed, log: createLog({ LOG_LEVEL: 'silent' }) }),
  });
  const lines = printed.map(
    (line) => JSON.parse(line) as { id: string; result: string; problem: string | null },
  );
  return {
    exitCode,
    results: lines.map(({ id, result, problem }) => [id, result, ...(problem ? [problem] : [])]),
  };
}

const balanceOf = async (id: string) =>
  Number(
    (await ledger.query('SELECT balance_atomic FROM account_balance WHERE account_id = $1', [id])).rows[0]
      ?.balance_atomic ?? 0,
  );
const refunded = async () =>
  (await ledger.query("SELECT id FROM paid_call WHERE state = 'refunded' ORDER BY id")).rows.map(
    ({ id }) => id,
  );

test('the command selects the calls that a provider did not deliver, lists them first, refunds each once, and never selects it again', async () => {
  const settlementId = await addFinalSettlement();
  const onChain = { settlementId, transactionHash: hash };
  const failed = await addKept(502, fromAccount);
  const unsent = await addCall(ledger, {
    ...fromAccount,
    operation: 'neural.answer',
    createdAt: hourOf(11),
    states: ['settled', ['needs_attention', 'provider_unreachable']],
  });
  const paidOnChain = await addKept(502, { ...onChain, createdAt: hourOf(12) });
  // Rejected by its content, of another provider, delivered, and of another time.
  await addKept(422, fromAccount);
  await addKept(502, { ...fromAccount, operation: 'serp.search' });
  await addCall(ledger, { ...fromAccount, operation: 'neural.search', createdAt: hourOf(10) });
  await addKept(502, { ...fromAccount, createdAt: hourOf(20) });
  const span = ['--provider', 'exa', '--from', hourOf(9).toISOString(), '--to', hourOf(15).toISOString()];

  const looked = await tuppence(...span);
  expect(looked).toEqual({
    exitCode: 0,
    results: [
      [failed, 'would_be_refunded'],
      [unsent, 'would_be_refunded'],
      [paidOnChain, 'transfer'],
    ],
  });
  expect(await refunded()).toEqual([]);

  const done = await tuppence(...span, '--note', 'the outage of 1 June', '--yes');
  expect(done.results).toEqual([
    [failed, 'refunded'],
    [unsent, 'refunded'],
    [paidOnChain, 'transfer'],
  ]);
  expect(await refunded()).toEqual([failed, unsent].sort());
  expect(await balanceOf(accountId)).toBe(10_000);
  expect((await tuppence(...span, '--yes')).results).toEqual([[paidOnChain, 'transfer']]);
  expect(await balanceOf(accountId)).toBe(10_000);

  expect((await tuppence(...span, '--account', otherId, '--yes')).results).toEqual([
    [paidOnChain, 'refunded'],
  ]);
  expect(await balanceOf(otherId)).toBe(5_000);
  expect(await tuppence(...span, '--yes')).toEqual({ exitCode: 0, results: [] });
  const { rows } = await ledger.query(
    "SELECT count(*)::int AS count FROM operator_action WHERE action = 'refund.request'",
  );
  expect(rows).toEqual([{ count: 3 }]);
});

test('calls are taken from a file, and one that cannot be refunded does not stop the others', async () => {
  const [one, two] = [await addKept(502, fromAccount), await addKept(422, fromAccount)];
  const notFinal = await addKept(502, { transactionHash: hash });
  const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-refunds-'));
  try {
    const file = path.join(folder, 'calls.txt');
    await writeFile(
      file,
      [`${one}  kept`, '  neural.search', notFinal, two, one, `pc_${'x'.repeat(24)}`, ''].join('\n'),
    );
    const done = await tuppence('--file', file, '--yes');
    expect(done).toEqual({
      exitCode: 1,
      results: [
        [one, 'refunded'],
        [notFinal, 'not_possible', 'payment_not_final'],
        [two, 'refunded'],
        [`pc_${'x'.repeat(24)}`, 'not_possible', 'call_not_found'],
      ],
    });
    const again = await tuppence('--file', file, '--yes');
    expect(again.results.filter(([, , problem]) => problem === 'already_refunded').map(([id]) => id)).toEqual(
      [one, two],
    );
    expect(await balanceOf(accountId)).toBe(10_000);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a provider that does not exist, and options that exclude each other, are usage errors', async () => {
  for (const args of [
    ['--provider', 'nobody'],
    ['--provider', 'exa', '--file', 'calls.txt'],
    ['--file', '/nowhere/calls.txt'],
    ['--provider', 'exa', '--transaction', hash, '--account', accountId],
  ])
    await expect(tuppence(...args), args.join(' ')).rejects.toThrow(UsageError);
});
