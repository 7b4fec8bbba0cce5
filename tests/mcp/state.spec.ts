import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stack } from '../support/stack';
import { expect } from '../support/without-browser';
import { balanceOf, failureOf, type Machine, outputOf, plainEnv, program, test, topUp } from './rig';

const modeOf = async (place: string) => ((await stat(place)).mode & 0o777).toString(8);

test('only the owner can read the state, even in a folder that was open before', async ({ machine }) => {
  const folder = path.dirname(machine.stateFile);
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  const adapter = await machine.start();
  outputOf(await adapter.call('balance'));
  expect([await modeOf(folder), await modeOf(machine.stateFile)]).toEqual(['700', '600']);
});

test('listing tools opens no account, and two adapters that need one at the same time open one', async ({
  machine,
}) => {
  const [one, other] = await Promise.all([machine.start(), machine.start()]);
  expect(machine.proxy.requests).toEqual([]);
  const links = await Promise.all([one, other, one, other].map((adapter) => adapter.call('topup_link')));
  expect(new Set(links.map((link) => outputOf<{ accountId: string }>(link).accountId)).size).toBe(1);
  expect(machine.proxy.requests.filter((request) => request === 'POST /v1/accounts')).toHaveLength(1);
});

test('setup_link sets the account aside and keeps its token, because it may hold money', async ({
  machine,
}) => {
  const adapter = await machine.start();
  const before = outputOf<{ accountId: string }>(await adapter.call('topup_link')).accountId;
  const opened = outputOf<{ accountId: string; depositUrl: string; previousAccountId: string }>(
    await adapter.call('setup_link'),
  );
  expect(opened).toMatchObject({
    previousAccountId: before,
    depositUrl: `${stack().apiUrl}/deposit/${opened.accountId}`,
  });
  expect(opened.accountId).not.toBe(before);
  expect(outputOf(await adapter.call('balance'))).toMatchObject({ accountId: opened.accountId });
  expect((await machine.state()).accounts.map(({ accountId }) => accountId)).toEqual([
    before,
    opened.accountId,
  ]);
});

test('all adapters together spend no more than the cap in a day, and free tools still work', async ({
  machine,
}) => {
  const cap = { TUPPENCE_SPENDING_CAP: '0.002' };
  const adapter = await machine.start(cap);
  await topUp(adapter);
  const other = await machine.start(cap);
  outputOf(await adapter.call('airports_search', { query: 'lisbon' }));
  outputOf(await other.call('airports_search', { query: 'porto' }));
  const asked = machine.proxy.requests.length;
  const failure = failureOf(await adapter.call('airports_search', { query: 'faro' }));
  expect(failure).toMatchObject({ code: 'spending_cap_reached', payment: 'none', retry: 'later' });
  expect(failure.message).toMatch(/costs 0\.001 USDC.*0\.002 of the 0\.002 USDC spending cap.*not sent/);
  expect(machine.proxy.requests).toHaveLength(asked);
  outputOf(await adapter.call('recent_uploads'));
  expect(await balanceOf(machine)).toBe('0.998');
});

test('calls that end uncharged do not count toward the cap', async ({ machine }) => {
  const adapter = await machine.start({ TUPPENCE_SPENDING_CAP: '0.01' });
  await topUp(adapter);
  for (let time = 0; time < 3; time += 1) {
    const failure = failureOf(await adapter.call('flight_offer_details', { id: 'off_0000AhNothing' }));
    expect(failure.code).toBe('offer_not_found');
  }
});

test('a new day has a new cap', async ({ machine }) => {
  const adapter = await machine.start({ TUPPENCE_SPENDING_CAP: '0.001' });
  await topUp(adapter);
  outputOf(await adapter.call('airports_search', { query: 'lisbon' }));
  expect(failureOf(await adapter.call('airports_search', { query: 'porto' })).code).toBe(
    'spending_cap_reached',
  );
  const state = JSON.parse(await readFile(machine.stateFile, 'utf8'));
  state.spent.day = '2026-01-01';
  await writeFile(machine.stateFile, JSON.stringify(state));
  outputOf(await adapter.call('airports_search', { query: 'porto' }));
});

/** Moves the start of the open call back by a day. */
async function setBack(stateFile: string): Promise<void> {
  const state = await readFile(stateFile, 'utf8');
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  const earlier = state.replace(/"sentAt": ?"[^"]+"/, `"sentAt":"${yesterday}"`);
  expect(earlier).not.toBe(state);
  await writeFile(stateFile, earlier);
}

/** Leaves the state of an adapter that was killed a day ago, before it got the response to its search for airports in Lisbon. */
async function loseCallOfYesterday(machine: Machine, cap: Record<string, string>): Promise<void> {
  const killed = await machine.start(cap);
  await topUp(killed);
  const held = machine.proxy.on(/airports/, 'hold-request');
  const lost = killed.call('airports_search', { query: 'lisbon' }).catch(() => 'lost');
  await held.happened;
  await killed.kill();
  expect(await lost).toBe('lost');
  await setBack(machine.stateFile);
}

test('a call of another day that is sent again counts toward the cap of today', async ({ machine }) => {
  const cap = { TUPPENCE_SPENDING_CAP: '0.001' };
  await loseCallOfYesterday(machine, cap);
  const adapter = await machine.start(cap);
  outputOf(await adapter.call('airports_search', { query: 'porto' }));
  const asked = machine.proxy.requests.length;
  const failure = failureOf(await adapter.call('airports_search', { query: 'lisbon' }));
  expect(failure).toMatchObject({ code: 'spending_cap_reached', payment: 'unknown', retry: 'later' });
  expect(machine.proxy.requests).toHaveLength(asked);
});

test('a call of another day that is sent again and charged leaves less of the cap of today', async ({
  machine,
}) => {
  const cap = { TUPPENCE_SPENDING_CAP: '0.001' };
  await loseCallOfYesterday(machine, cap);
  const adapter = await machine.start(cap);
  outputOf(await adapter.call('airports_search', { query: 'lisbon' }));
  const failure = failureOf(await adapter.call('airports_search', { query: 'porto' }));
  expect(failure).toMatchObject({ code: 'spending_cap_reached', payment: 'none' });
});

test('a damaged state file is never overwritten: it may hold the token of an account with money', async ({
  machine,
}) => {
  await mkdir(path.dirname(machine.stateFile), { recursive: true });
  await writeFile(machine.stateFile, '{"version": 1, "accounts": [');
  const adapter = await machine.start();
  for (const tool of ['balance', 'setup_link', 'topup_link']) {
    const failure = failureOf(await adapter.call(tool));
    expect(failure, tool).toMatchObject({ code: 'local_state_unusable', payment: 'none', retry: 'stop' });
    expect(failure.message, tool).toContain(machine.stateFile);
  }
  expect(await readFile(machine.stateFile, 'utf8')).toBe('{"version": 1, "accounts": [');
});

test('an unknown account gets an error that says what to do', async ({ machine }) => {
  const adapter = await machine.start();
  outputOf(await adapter.call('topup_link'));
  const state = JSON.parse(await readFile(machine.stateFile, 'utf8'));
  state.accounts[0].token = `tpt_${'0'.repeat(43)}`;
  await writeFile(machine.stateFile, JSON.stringify(state));
  const result = await adapter.call('airports_search', { query: 'lisbon' });
  expect(failureOf(result)).toMatchObject({ code: 'account_token_wrong', payment: 'none' });
  expect(JSON.stringify(result.content)).toContain('setup_link');
});

const wrongSettings: readonly [string, string, RegExp][] = [
  ['MUNITION_API_URL', 'http://api.example.com', /https/],
  ['MUNITION_API_URL', 'https://api.example.com/v1', /origin/],
  ['MUNITION_API_URL', 'nonsense', /https/],
  ['TUPPENCE_API_URL', 'nonsense', /https/],
  ['MUNITION_API_URL', 'https://api.example.com', /TUPPENCE_API_URL .* Set only one/],
  ['TUPPENCE_TOOLS', 'some', /basic, all/],
  ['TUPPENCE_SPENDING_CAP', 'a lot', /USDC/],
  ['TUPPENCE_SPENDING_CAP', '-1', /USDC/],
  ['TUPPENCE_UPLOAD_FOLDERS', 'documents', /absolute/],
];

for (const [name, value, words] of wrongSettings) {
  test(`${name}=${value} ends the adapter with an error that states the rule`, async ({ machine }) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
      env: { ...plainEnv, ...machine.env, [name]: value },
      input: '',
    });
    expect([status, stdout.toString()]).toEqual([2, '']);
    expect(stderr.toString()).toContain(name);
    expect(stderr.toString()).toMatch(words);
  });
}

test('MUNITION_API_URL names the service as TUPPENCE_API_URL does', async ({ machine }) => {
  const { TUPPENCE_API_URL = '' } = machine.env;
  const adapter = await machine.start({ TUPPENCE_API_URL: '', MUNITION_API_URL: TUPPENCE_API_URL });
  outputOf(await adapter.call('topup_link'));
  expect((await machine.state()).accounts).toHaveLength(1);
});
