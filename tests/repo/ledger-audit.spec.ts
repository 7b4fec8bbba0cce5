import pg from 'pg';
import { openWorker } from '@/lib/jobs/job-worker';
import { type Connections, pageRows } from '@/lib/operator/audit/audit-session';
import type { ChainTransfer } from '@/lib/operator/audit/chain-transfers';
import { auditLedger } from '@/lib/operator/audit/findings';
import { checkAudit } from '@/lib/operator/doctor/audit';
import { eraseData } from '@/lib/operator/moderation/erase-data';
import { systemClock } from '@/lib/platform/clock';
import { loadLedger } from '@/tools/bench/ledger-loader';
import { callsOnChain } from '@/tools/bench/loaded-rows';
import { askApp } from '../support/ask-app';
import { openLedgerApp } from '../support/ledger-app';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { expect, test } from '../support/without-browser';
import { asset, audit, seller, transfersOf } from './ledger-audit/audit';

const calls = 3_500;
/** A ledger of delivered calls in a database of its own. Every test undoes its changes. */
let ledger: pg.Pool;
let database: NewDatabase;

test.beforeAll(async () => {
  database = await migratedDatabase();
  await loadLedger(database.url, { seller, asset, calls, answers: Buffer.from('sealed') });
  ledger = new pg.Pool({ connectionString: database.url });
  ledger.on('error', () => undefined);
});
test.afterAll(async () => {
  await ledger.end();
  await database.drop();
});

/** Changes the ledger while the work runs, and undoes the change afterwards. */
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
      payment: {
        network: 'base',
        payer: orphan.payer,
        authorization: one.authorization,
        transactionHash: '0xabc',
      },
    },
  ]);
});

test('one transfer on Solana that two calls claim is found', async () => {
  const [one, other] = (await transfersOf(ledger)) as [ChainTransfer, ChainTransfer];
  const ids = await ledger.query<{ id: string }>(
    'SELECT id FROM paid_call WHERE "authorization" IN ($1, $2) ORDER BY id',
    [one.authorization, other.authorization],
  );
  const [first, second] = ids.rows.map(({ id }) => id);
  const setPayment = (id: string | undefined, network: string, authorization: string) =>
    `UPDATE paid_call SET network = '${network}', "authorization" = '${authorization}' WHERE id = '${id}';`;
  const onSolana = { ...one, network: 'solana-mainnet', payer: null } as const;
  const findings = await changing(
    ledger,
    `DROP INDEX paid_call_solana_payment_once;
     ${[first, second].map((id) => setPayment(id, 'solana-mainnet', one.authorization)).join('')}`,
    async () => audit(ledger, [...(await transfersOf(ledger)), onSolana]),
    `${setPayment(first, 'base', one.authorization)} ${setPayment(second, 'base', other.authorization)}
     CREATE UNIQUE INDEX paid_call_solana_payment_once ON paid_call (network, asset, "authorization")
       WHERE network IN ('solana-mainnet', 'solana-devnet')`,
  );
  expect(findings).toContainEqual({
    promise: 'a transfer pays for one call',
    about: `solana-mainnet ${one.transactionHash}: ${first}, ${second}`,
  });
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

const disagreement = 'the nodes of a network have the same transfers';

test('the audit finds a transfer that one of two nodes hides at the other, and reports it', async () => {
  const all = await transfersOf(ledger);
  const [hidden, ...told] = all as [ChainTransfer, ...ChainTransfer[]];
  for (const [first, second, node] of [
    [told, all, 2],
    [all, told, 1],
  ] as const) {
    expect(await audit(ledger, first, { transfers: second, height: 1n })).toEqual([
      {
        promise: disagreement,
        about: `base ${hidden.payer} ${hidden.authorization} ${hidden.amountAtomic} in ${hidden.transactionHash}: only RPC ${node} of 2`,
      },
    ]);
  }
});

test('the audit finds a transfer that one of two nodes makes up, and that the other does not have it', async () => {
  const transfers = await transfersOf(ledger);
  const [one] = transfers as [ChainTransfer];
  const invented = { ...one, authorization: '0xfeed', transactionHash: '0xabc' };
  const findings = await audit(ledger, transfers, { transfers: [...transfers, invented], height: 1n });
  expect(findings.map(({ promise }) => promise)).toEqual([
    disagreement,
    'a used authorization has a paid call',
  ]);
});

test('a node that does not have the block of a transfer yet says nothing against it', async () => {
  expect(await audit(ledger, await transfersOf(ledger), { transfers: [], height: 0n })).toEqual([]);
});

test('a node that fails on the way is left out, and without any the audit fails', async () => {
  const transfers = await transfersOf(ledger);
  expect(await audit(ledger, transfers, null)).toEqual([]);
  const silent = [{ network: 'base', nodes: [() => Promise.reject(new Error('the node does not answer'))] }];
  await expect(auditLedger(systemClock, ledger, silent, []).next()).rejects.toThrow(/does not answer/);
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

test('the daily audit keeps what it found, for the metrics and for doctor', async () => {
  const token = 'x'.repeat(16);
  const { app, close, ledger: books } = await openLedgerApp({ METRICS_TOKEN: token });
  try {
    const worker = await openWorker(app);
    const { rows } = await books.query(
      `SELECT job FROM turn WHERE due_at BETWEEN now() + interval '50 minutes' AND now() + interval '1 hour'`,
    );
    expect(rows, 'the first one does not burden the start').toEqual([{ job: 'audit-ledger' }]);
    await worker.stop();
    const job = app.jobs.find(({ name }) => name === 'audit-ledger');
    expect(await checkAudit(app)).toMatchObject({ status: 'skipped' });
    await job?.run(new Date());
    expect(await checkAudit(app)).toMatchObject({ status: 'ok' });
    await books.query(
      `INSERT INTO account_balance (account_id, balance_atomic) VALUES ('acct_edited', 7), ('acct_edited_too', 7)`,
    );
    const began = Date.now() / 1_000;
    await job?.run(new Date());
    expect(await checkAudit(app)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('a balance is the sum of its postings (2)'),
    });
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await askApp(app, new Request('https://api.example.com/metrics', { headers }));
    const shown = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body ?? '')?.[1]);
    // Each of the two breaks two promises.
    expect(shown('tuppence_audit_findings')).toBe(4);
    expect(shown('tuppence_audit_timestamp_seconds')).toBeGreaterThan(began - 1);
    await books.query(`UPDATE audit_run SET started_at = started_at - interval '3 days', findings = '{}'`);
    expect(await checkAudit(app)).toMatchObject({ status: 'warning' });
  } finally {
    await close();
  }
});

test('a daily audit that gets no answer from a chain fails, and leaves what is known as it was', async () => {
  const { app, close } = await openLedgerApp({ AUDIT_FROM_BLOCK: 'base=1' });
  try {
    const job = app.jobs.find(({ name }) => name === 'audit-ledger');
    await expect(job?.run(new Date())).rejects.toThrow();
    expect(await app.db.auditRun.count()).toBe(0);
  } finally {
    await close();
  }
});

test('erasing the data of a payer leaves the books in order, and is over after the first time', async () => {
  const { app, close, ledger: books, databaseUrl } = await openLedgerApp();
  try {
    await loadLedger(databaseUrl, { seller, asset, calls: 300, answers: Buffer.from('sealed') });
    const { rows } = await books.query<{ payer: string }>(
      `SELECT payer FROM paid_call WHERE answer IS NOT NULL GROUP BY payer ORDER BY count(*) DESC, payer LIMIT 1`,
    );
    const subject = { kind: 'wallet', id: rows[0]?.payer ?? '' } as const;
    const decision = { actor: { name: 'cli:test', address: null }, correlationId: 'op_test' };
    const erased = await eraseData(app, subject, decision, false);
    expect(erased.callResponses).toBeGreaterThan(0);
    expect(erased.uploads).toBeGreaterThan(0);
    const nothing = { uploads: 0, forms: 0, formResponses: 0, callResponses: 0, refundMessages: 0 };
    expect(await eraseData(app, subject, decision, false)).toEqual(nothing);
    expect(await audit(books, await transfersOf(books))).toEqual([]);
  } finally {
    await close();
  }
});
