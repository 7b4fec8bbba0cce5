import pg from 'pg';
import { createApp } from '@/lib/app';
import { refund } from '@/lib/operator/commands/refund';
import { newOrderedId } from '@/lib/platform/ids';
import { createLog } from '@/lib/platform/log';
import { addCall, addSettlement } from '../support/ledger-rows';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { runOperatorProgram } from '../support/operator-program';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

/** The program's output and exit codes; tests/recovery/refunds.spec.ts moves money with it. */

let database: NewDatabase;
let ledger: pg.Pool;
const accountId = `acct_${'R'.repeat(24)}`;
const ids = { stuck: '', delivered: '', fromAccount: '', open: '' };

test.beforeAll(async () => {
  database = await migratedDatabase();
  ledger = new pg.Pool({ connectionString: database.url, max: 2 });
  const at = new Date(Date.UTC(2026, 5, 1));
  const hash = `0x${'ab'.repeat(32)}`;
  const settlementId = await addSettlement(ledger, { hash, at, feeAtomic: 21_000n });
  await ledger.query(
    "UPDATE settlement_transaction SET final_at = now(), block_number = 1, state = 'confirmed'",
  );
  await ledger.query('INSERT INTO account (id, created_at) VALUES ($1, now())', [accountId]);
  const carried = { settlementId, transactionHash: hash, createdAt: at };
  ids.stuck = await addCall(ledger, {
    ...carried,
    states: ['settled', ['needs_attention', 'delivery_failed']],
  });
  ids.delivered = await addCall(ledger, carried);
  ids.open = await addCall(ledger, { createdAt: at, states: [] });
  ids.fromAccount = await addCall(ledger, {
    createdAt: at,
    network: 'account',
    rail: 'account',
    payer: accountId,
  });
});
test.afterAll(async () => {
  await ledger.end();
  await database.drop();
});

function settings(): Record<string, string> {
  const { apiUrl, filesUrl, serverEnv } = stack();
  return { ...serverEnv, PUBLIC_URL: apiUrl, FILES_URL: filesUrl, DATABASE_URL: database.url };
}

/** Runs the command in this process, which takes a tenth of the time of a separate one. */
async function tuppence(...args: string[]): Promise<{ exitCode: number; output: string; errors: string }> {
  const printed: string[] = [];
  const errors: string[] = [];
  const exitCode = await refund.run(args, {
    env: settings(),
    operator: { name: 'cli:test@example', address: null },
    read: async () => '',
    hasColor: false,
    print: (line) => printed.push(line),
    write: async (text) => void printed.push(text),
    printError: (line) => errors.push(line),
    openApp: (parsed) => createApp({ settings: parsed, log: createLog({ LOG_LEVEL: 'silent' }) }),
  });
  return { exitCode, output: printed.join('\n'), errors: errors.join('\n') };
}

async function refunds(): Promise<number> {
  const { rows } = await ledger.query<{ count: number }>('SELECT count(*)::int AS count FROM refund');
  return rows[0]?.count ?? 0;
}

test('tuppence refund shows a call and what can be done about it, and records nothing', async () => {
  const text = await tuppence(ids.stuck);
  expect(text).toMatchObject({ exitCode: 0, errors: '' });
  expect(text.output).toContain(`${ids.stuck}  uploads.create, needs_attention\n  0.005 USDC on base`);
  const json = await tuppence(ids.fromAccount, '--json');
  expect(JSON.parse(json.output)).toMatchObject({
    call: { id: ids.fromAccount, network: 'account', payer: accountId, amount: '0.005' },
    refunds: [],
    problem: null,
    methods: ['account'],
  });
  const dry = await tuppence(ids.fromAccount, '--account', accountId, '--reason', 'duplicate');
  expect(dry.exitCode).toBe(0);
  expect(dry.output).toContain(`0.005 USDC would be posted to ${accountId}.\nNothing has been recorded.`);
  expect(await refunds()).toBe(0);
});

test('tuppence refund exits with 1 and says why when a refund is not possible', fullOnly, async () => {
  const hash = `0x${'cd'.repeat(32)}`;
  const cases = [
    [[newOrderedId('pc', new Date())], 'call_not_found'],
    [[ids.open, '--transaction', hash, '--yes'], 'call_not_refundable'],
    [[ids.delivered, '--transaction', hash, '--yes'], 'reason_required'],
    [[ids.delivered, '--transaction', hash, '--reason', 'other', '--yes'], 'note_required'],
    [[ids.stuck, '--transaction', 'abc', '--yes'], 'not_a_hash'],
    [[ids.stuck, '--transaction', hash], 'transaction_not_found'],
    [[ids.stuck, '--account', 'acct_missing', '--yes'], 'account_not_open'],
    [[ids.fromAccount, '--transaction', hash, '--reason', 'duplicate', '--yes'], 'not_on_chain'],
    [[ids.stuck, '--cancel', '--yes'], 'refund_not_found'],
  ] as const;
  for (const [args, code] of cases) {
    const { exitCode, output } = await tuppence(...args, '--json');
    expect([exitCode, JSON.parse(output).error.code], args.join(' ')).toEqual([1, code]);
  }
  const text = await runOperatorProgram(settings(), 'refund', ids.open, '--transaction', hash, '--yes');
  expect(text).toMatchObject({ exitCode: 1, output: '' });
  expect(text.errors).toContain('Only calls that are delivered, kept or in needs_attention can be refunded.');
  expect(await refunds()).toBe(0);
});

test('tuppence refund exits with 2 when it is used wrongly', fullOnly, async () => {
  for (const args of [
    [],
    [ids.stuck, ids.delivered],
    [ids.stuck, '--yes'],
    [ids.stuck, '--transaction', '0x1', '--cancel'],
    [ids.stuck, '--account', accountId, '--reason', 'because'],
    [ids.stuck, '--account', accountId, '--note', ''],
    [ids.stuck, '--amount', '1'],
  ])
    await expect(tuppence(...args), args.join(' ')).rejects.toThrow(
      /takes|needs --transaction|Unknown option/,
    );
  expect(await runOperatorProgram(settings(), 'refund')).toMatchObject({
    exitCode: 2,
    output: '',
    errors: expect.stringMatching(/\n\nUsage: tuppence refund /),
  });
});
