import { Client } from 'pg';
import { isRecoveryTestInRun } from '../support/tiers';
import { faults as allFaults } from './audit/faults';
import { expect, test } from './fixtures';
import { fundedAccount, purchase } from './rig/accounts';
import { untilState } from './rig/found';
import { ask, sign } from './rig/requests';
import { type Rig, startRig } from './rig/rig';

const titleOf = (fault: string) => `the audit finds ${fault}`;

/** Those whose tests are in this run. */
const faults = allFaults.filter(({ fault }) => isRecoveryTestInRun('audit', titleOf(fault)));

/** What the audit found after every fault below was planted, and the identifiers of the payer of each fault. */
interface Audited {
  readonly findings: readonly string[];
  /** Ids, addresses and hashes by fault: a finding names one of them. */
  readonly marks: ReadonlyMap<string, readonly string[]>;
}

// In one worker: the books are created, corrupted and audited once for all tests.
test.describe.configure({ mode: 'default' });

let audited: Audited;

test.beforeAll(async () => {
  test.setTimeout(300_000);
  const rig = await startRig();
  try {
    await rig.start();
    const payers = await Promise.all(
      faults.map(({ ofAccount }) => (ofAccount ? keepAccount(rig) : keepBooks(rig))),
    );
    await addRefusedCall(rig);
    await rig.kill();
    expect(await runAudit(rig), 'the books before anything is done to them').toEqual({
      exitCode: 0,
      output: 'The ledger and the chains agree.\n',
      errors: '',
    });
    const marks = new Map<string, string[]>();
    for (const [index, { fault, sql }] of faults.entries()) {
      const payer = payers[index] ?? '';
      marks.set(fault, await marksOf(rig, payer));
      await plant(rig, sql.replaceAll(':payer', `'${payer}'`));
    }
    const { exitCode, output, errors } = await runAudit(rig);
    // A list that is saved with `>` has every finding.
    const findings = output.trimEnd().split('\n').slice(0, -1);
    expect([exitCode, errors]).toEqual([1, '']);
    expect(output).toMatch(new RegExp(`\n${findings.length} findings\n$`));
    expect((await listedAsJson(rig)).sort()).toEqual([...findings].sort());
    audited = { findings, marks };
  } finally {
    await rig.close();
  }
});

/** Runs the operator's audit, which prints a line for each finding. */
function runAudit(rig: Rig, ...args: string[]) {
  return rig.tuppence('audit', '--from-block', String(rig.firstBlock), ...args);
}

/** The findings that the audit prints as JSON, as it prints them in words. */
async function listedAsJson(rig: Rig): Promise<string[]> {
  const { exitCode, output, errors } = await runAudit(rig, '--json');
  expect([exitCode, errors]).toEqual([1, '']);
  return output
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { promise, about, payment, ...others } = JSON.parse(line);
      expect(others).toEqual({});
      if (payment === null) expect(promise).not.toBe('a used authorization has a paid call');
      else expect(about).toContain(`${payment.authorization} in ${payment.transactionHash}`);
      return `broken: ${promise} (${about})`;
    });
}

/** A new wallet that buys an upload, renews it and deletes it. */
async function keepBooks(rig: Rig): Promise<string> {
  const wallet = await rig.newEvmPayer();
  const buy = async (path?: string, method?: string) => {
    const { status, body } = await ask(await sign(rig, wallet, { path, method }));
    expect(status).toBe(200);
    return body.id as string;
  };
  const id = await buy();
  await buy(`/uploads/${id}/renew`);
  await buy(`/uploads/${id}`, 'DELETE');
  return wallet.address;
}

/** A new account with a deposit, which buys an upload. @returns its id, which is the payer in the ledger */
async function keepAccount(rig: Rig): Promise<string> {
  const account = await fundedAccount(rig);
  expect((await ask(purchase(rig, account))).status).toBe(200);
  return account.accountId;
}

/** Adds a call that the chain refused. The audit finds nothing wrong with it. */
async function addRefusedCall(rig: Rig): Promise<void> {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const held = rig.base.hold('eth_sendRawTransaction', 'before');
  const answer = ask(request);
  await held.reached;
  await rig.drain(wallet);
  held.release();
  expect((await answer).status).toBe(402);
  await untilState(rig, wallet.address, 'refused');
}

async function marksOf(rig: Rig, payer: string): Promise<string[]> {
  const rows = await rig.query<Record<string, string>>(
    `SELECT paid_call.id, "authorization", transaction_hash, upload.id AS upload_id
     FROM paid_call LEFT JOIN upload ON upload.paid_call_id = paid_call.id
     WHERE payer = $1 OR paid_call.id IN (SELECT paid_call_id FROM posting WHERE credit_account = 'account:' || $1)`,
    [payer],
  );
  return [payer, ...rows.flatMap((row) => Object.values(row).filter((mark) => mark !== null))];
}

/** Replica mode disables the triggers that protect the ledger. */
async function plant(rig: Rig, sql: string): Promise<void> {
  const client = new Client({ connectionString: rig.databaseUrl });
  await client.connect();
  try {
    await client.query(`SET session_replication_role = replica; ${sql}`);
  } finally {
    await client.end();
  }
}

for (const { fault, promise } of faults) {
  test(titleOf(fault), () => {
    const { findings, marks } = audited;
    const kept = findings.filter((line) => line.includes(`broken: ${promise} (`));
    const about = kept.filter((line) => marks.get(fault)?.some((mark) => line.includes(mark)));
    expect(about, findings.join('\n')).not.toEqual([]);
  });
}

test('the audit begins on each network at the block that is named for it', async ({ rig }) => {
  const payers = await Promise.all([rig.newEvmPayer(), rig.newEvmPayer()]);
  for (const [index, on] of (['base', 'polygon'] as const).entries()) {
    const request = await sign(rig, payers[index] ?? payers[0], {}, on);
    expect((await ask(request)).status).toBe(200);
  }
  const { base, polygon } = rig.fromBlocks;
  const audit = (...from: string[]) =>
    rig.tuppence('audit', ...from.flatMap((block) => ['--from-block', block]));
  const agrees = { exitCode: 0, output: 'The ledger and the chains agree.\n' };
  expect(await audit(`base=${base}`, `polygon=${polygon}`)).toMatchObject(agrees);
  expect(await audit(`base=${base}`, '0')).toMatchObject(agrees);
  expect(await rig.query('SELECT FROM audit_run')).toEqual([]);
  const recorded = await rig.tuppence('audit', '--record', '--from-block', `base=${base}`);
  expect(recorded).toMatchObject(agrees);
  expect(await rig.query('SELECT findings, networks FROM audit_run')).toEqual([
    { findings: {}, networks: [...rig.networks] },
  ]);
  // A starting block after the newest one is reported as a mistake, not as a ledger full of payments that were never made.
  const tooLate = 999_999_999_999;
  for (const [from, network] of [
    [[`base=${base}`, String(tooLate)], 'polygon'],
    [[`base=${tooLate}`, `polygon=${polygon}`], 'base'],
  ] as const)
    expect(await audit(...from)).toMatchObject({
      exitCode: 1,
      output: '',
      errors: expect.stringContaining(`${network} has no block ${tooLate} yet`),
    });
  for (const [wrong, rule] of [
    ['base', 'must be the number of a block, or NETWORK=N'],
    ['base=-1', 'must be the number of a block, or NETWORK=N'],
    ['solana-mainnet=1', 'must name an EVM network of the settings: base, polygon, arbitrum'],
    ['base-sepolia=1', 'must name an EVM network of the settings: base, polygon, arbitrum'],
  ] as const)
    expect(await audit(wrong), wrong).toMatchObject({
      exitCode: 2,
      output: '',
      errors: expect.stringContaining(`--from-block ${rule}`),
    });
});
