import { Client } from 'pg';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { network } from '../support/stack';
import { collectingTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { buy, callContract, channelClient, channelOf, startChannelRig } from './rig/channels';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

// In one worker: the books are created once, then corrupted and restored for each fault.
test.describe.configure({ mode: 'default' });

let rig: Rig;
test.beforeAll(async () => {
  rig = await startChannelRig({ hasOwnBase: true, timings: collectingTimings });
  const payer = await rig.newEvmPayer();
  const { fetch } = channelClient(rig, payer);
  await buy(rig, fetch, 2);
  await until('the claim', async () => (await channelOf(rig, payer)).claimed === 10_000);
  const stranger = privateKeyToAccount(generatePrivateKey());
  await callContract(rig, stranger, 'settle', [rig.payTo.evm, network('base').usdc as `0x${string}`]);
  await until('its event', async () => {
    const rows = await rig.query<{ name: string }>('SELECT name FROM channel_event');
    return rows.some(({ name }) => name === 'Settled');
  });
  await buy(rig, channelClient(rig, await rig.newEvmPayer()).fetch, 1);
  await rig.kill();
});
test.afterAll(() => rig.close());

test('the books of channels that are used, claimed and swept are in order', async () => {
  expect(await rig.audit()).toEqual([]);
});

const lastCall =
  '(SELECT id FROM paid_call WHERE channel_id IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT 1)';
const anEntry = `INSERT INTO channel_write_off (channel_id, amount_atomic, note, at)
  SELECT id, 1, 'withdrawn', now() FROM channel WHERE charged_atomic > claimed_atomic`;
const faults: readonly { fault: string; sql: string; promise: string }[] = [
  {
    fault: 'a channel that holds less than was spent of it',
    sql: 'UPDATE channel SET balance_atomic = charged_atomic - 1',
    promise: 'a channel holds what was spent of it',
  },
  {
    fault: 'a channel of which more is claimed than was spent',
    sql: 'UPDATE channel SET claimed_atomic = charged_atomic + 1',
    promise: 'no more is claimed of a channel than was spent',
  },
  {
    fault: 'a total that is not what the calls cost',
    sql: 'UPDATE channel SET charged_atomic = charged_atomic + 1',
    promise: 'the total of a channel is what its calls cost',
  },
  {
    fault: 'a step that overlaps another',
    sql: `UPDATE paid_call SET "authorization" = replace("authorization", ':10000', ':9999')`,
    promise: 'each call raises the total of its channel from that of the call before',
  },
  {
    fault: 'a delivered call that no channel was charged for',
    sql: `UPDATE paid_call SET channel_id = NULL WHERE id = ${lastCall}`,
    promise: 'a settled call has exactly one transfer',
  },
  {
    fault: 'a voucher that is booked as if the money were here',
    sql: `UPDATE posting SET debit_account = 'chain:base:treasury' WHERE kind = 'settled' AND paid_call_id = ${lastCall}`,
    promise: 'a posting names the accounts of its call',
  },
  {
    fault: 'a claim that was not posted',
    sql: "DELETE FROM posting WHERE kind = 'claimed'",
    promise: 'what is unclaimed and unswept is booked',
  },
  {
    fault: 'a sweep of another amount',
    sql: "UPDATE posting SET amount_atomic = amount_atomic + 1 WHERE kind = 'swept'",
    promise: "an event of the channels' contract is posted as what it is",
  },
  {
    fault: 'a claim that is counted twice',
    sql: `INSERT INTO channel_event (network, block_number, transaction_hash, log_index, name, channel_id, amount_atomic, at)
      SELECT network, block_number, transaction_hash, log_index + 1, name, channel_id, amount_atomic, at
      FROM channel_event WHERE name = 'Claimed'`,
    promise: 'no claim of a channel is counted twice',
  },
  {
    fault: 'a payout of more than was claimed',
    sql: `INSERT INTO channel_event (network, block_number, transaction_hash, log_index, name, channel_id, amount_atomic, at)
      SELECT network, block_number, transaction_hash, log_index + 1, 'Settled', NULL, amount_atomic + 1, at
      FROM channel_event WHERE name = 'Claimed'`,
    promise: 'no more is paid out of channels than was claimed',
  },
  {
    fault: 'a channel of which something is written off that the contract can pay',
    sql: 'UPDATE channel SET written_off_atomic = 1 WHERE charged_atomic > claimed_atomic AND balance_atomic >= charged_atomic',
    promise: 'no more is written off of a channel than the contract cannot pay',
  },
  {
    fault: 'a channel that is written off without an entry',
    sql: 'UPDATE channel SET written_off_atomic = 1 WHERE charged_atomic > claimed_atomic',
    promise: 'what is written off of a channel has its entries',
  },
  {
    fault: 'a write-off that was not posted',
    sql: anEntry,
    promise: 'a write-off of a channel is posted as what it is',
  },
  {
    fault: 'a write-off that was posted the other way around',
    sql: `${anEntry};
      INSERT INTO posting (channel_write_off_id, kind, debit_account, credit_account, amount_atomic, unit, at)
      SELECT id, 'written_off', 'chain:base:unclaimed', 'expense:unclaimable:base', amount_atomic, 'usdc', at
      FROM channel_write_off`,
    promise: 'what is unclaimed and unswept is booked',
  },
];

for (const { fault, sql, promise } of faults) {
  test(`the audit finds ${fault}`, async () => {
    const client = new Client({ connectionString: rig.databaseUrl });
    await client.connect();
    // Replica mode disables the triggers that protect the ledger.
    await client.query('SET session_replication_role = replica');
    const tables = ['channel', 'paid_call', 'posting', 'channel_event', 'channel_write_off'];
    for (const table of tables) await client.query(`CREATE TEMPORARY TABLE kept_${table} AS TABLE ${table}`);
    try {
      await client.query(sql);
      const findings = await rig.audit();
      expect(findings.join('\n')).toContain(`broken: ${promise} (`);
    } finally {
      for (const table of tables) {
        await client.query(`DELETE FROM ${table}`);
        await client.query(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
      }
      await client.end();
    }
  });
}

test('the program of operators lists channels, with what is unclaimed, and fails when one is being emptied', async () => {
  const { exitCode, output } = await rig.tuppence('channels');
  expect([exitCode, output.trimEnd().split('\n').at(-1)]).toEqual([0, '2 channels, 0.005 USDC unclaimed']);
  expect(output).toContain('holds 1 USDC: 0.01 spent, 0.01 of it claimed');
  const [owing] = await rig.query<{ id: string }>(
    'SELECT id FROM channel WHERE charged_atomic > claimed_atomic',
  );
  await rig.query('UPDATE channel SET withdrawing_atomic = 999000 WHERE id = $1', [owing?.id]);
  const leaving = await rig.tuppence('channels', '--json', '--limit', '1');
  expect(leaving.exitCode).toBe(1);
  expect(
    leaving.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ id: owing?.id, network: 'base', spent: '0.005', claimed: '0', withdrawing: '0.999' }]);
  expect((await rig.tuppence('channels', '--limit', '0')).exitCode).toBe(2);
});
