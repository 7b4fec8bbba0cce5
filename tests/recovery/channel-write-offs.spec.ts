import { collectingTimings, shortTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { buy, callContract, channelClient, channelOf, configOf, startChannelRig } from './rig/channels';
import { onBase } from './rig/own-chain';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

// Money spent from a channel whose payer withdrew everything before it was claimed. Two calls were bought.

const deposited = 1_000_000n;
const spent = 10_000;

let rig: Rig;
test.beforeEach(async () => {
  rig = await startChannelRig({ timings: collectingTimings, hasOwnBase: true });
});
test.afterEach(() => rig.close());

/** A payer who withdraws the whole deposit before the claim, while no server runs. */
async function newLeaver() {
  const payer = await rig.newEvmPayer();
  // Nothing is claimed before the withdrawal.
  await rig.restart({}, shortTimings);
  await buy(rig, channelClient(rig, payer).fetch, 2);
  await rig.kill();
  const config = await configOf(rig, payer);
  await callContract(rig, payer, 'initiateWithdraw', [config, deposited]);
  await onBase(rig, 'evm_increaseTime', config.withdrawDelay);
  await callContract(rig, payer, 'finalizeWithdraw', [config]);
  await rig.passTakeoverTime();
  await rig.start();
  const { id } = await channelOf(rig, payer);
  await until('it on the worklist', async () => (await rig.tuppence('worklist')).output.includes(id));
  return { payer, id };
}

const writeOff = (id: string, ...more: string[]) =>
  rig.tuppence('channels', '--write-off', id, '--note', 'its payer has withdrawn', ...more);

async function listed(id: string) {
  const { exitCode, output } = await rig.tuppence('channels', '--json');
  const rows = output.trimEnd().split('\n');
  return { exitCode, ...rows.map((row) => JSON.parse(row)).find((row) => row.id === id) };
}

/** The balances of channel accounts, without those at zero. */
async function accounts(): Promise<Record<string, number>> {
  const rows = await rig.query<{ account: string; amount: number }>(`
    SELECT account, sum(amount)::int AS amount FROM (
      SELECT debit_account AS account, amount_atomic AS amount FROM posting WHERE unit = 'usdc'
      UNION ALL SELECT credit_account, -amount_atomic FROM posting WHERE unit = 'usdc') entries
    WHERE account LIKE 'chain:%' OR account LIKE 'expense:%' GROUP BY account HAVING sum(amount) <> 0`);
  return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]));
}

const entries = () =>
  rig.query(`SELECT kind, posting.amount_atomic::int AS amount, note FROM channel_write_off entry
    JOIN posting ON channel_write_off_id = entry.id ORDER BY entry.id`);

test('an amount withdrawn before its claim waits for the operator until it is written off, once', async () => {
  const { id } = await newLeaver();
  expect(await rig.audit()).toEqual([`broken: a channel holds what was spent of it (${id})`]);
  expect(await accounts()).toEqual({ 'chain:base:unclaimed': spent });

  const { exitCode, output } = await writeOff(id);
  expect([exitCode, output]).toEqual([
    0,
    expect.stringContaining(`0.01 USDC of ${id} cannot be claimed. It is written off, and was 0 USDC.`),
  ]);
  expect((await rig.tuppence('worklist')).output).not.toContain(id);
  expect(await rig.audit()).toEqual([]);
  expect(await accounts()).toEqual({ 'expense:unclaimable:base': spent });
  expect(await listed(id)).toMatchObject({ exitCode: 0, spent: '0.01', claimed: '0', writtenOff: '0.01' });
  expect((await rig.tuppence('channels')).output).toContain('0.01 spent, 0 of it claimed, 0.01 written off');
  expect((await rig.tuppence('channels')).output).toContain('1 channel, 0 USDC unclaimed');

  const again = await writeOff(id);
  expect([again.exitCode, again.output]).toEqual([0, expect.stringContaining('There is nothing to change.')]);
  expect(await entries()).toEqual([{ kind: 'written_off', amount: spent, note: 'its payer has withdrawn' }]);
  expect(await rig.query("SELECT target_id FROM operator_action WHERE action = 'channel.write_off'")).toEqual(
    [{ target_id: id }],
  );
});

test('a write-off needs a channel and a note, and nothing is written off of a channel that can be claimed', async () => {
  const payer = await rig.newEvmPayer();
  await buy(rig, channelClient(rig, payer).fetch);
  const { id } = await channelOf(rig, payer);
  const refused = async (...args: string[]) => {
    const { exitCode, errors } = await rig.tuppence('channels', ...args);
    return [exitCode, errors.split('\n')[0]];
  };
  const note = '--note: is required with --write-off, and goes with nothing else.';
  expect(await refused('--write-off', id)).toEqual([2, note]);
  expect(await refused('--note', 'why')).toEqual([2, note]);
  expect(await refused('--write-off', id, '--note', ' ')).toEqual([2, '--note: must not be empty.']);
  expect(await refused('--write-off', id, '--note', 'why', '--limit', '1')).toEqual([
    2,
    '--limit: does not go with --write-off.',
  ]);
  expect(await refused('--write-off', '0x01', '--note', 'why')).toEqual([
    1,
    'There is no payment channel 0x01.',
  ]);
  const { exitCode, output } = await writeOff(id);
  expect([exitCode, output]).toEqual([0, expect.stringContaining('There is nothing to change.')]);
  expect(await entries()).toEqual([]);
});
