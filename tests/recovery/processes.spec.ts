import { rateLimits } from '@/lib/catalog/rate-limits';
import { hasEnded } from '@/lib/platform/process-identity';
import type { Timings } from '@/lib/platform/timings';
import { scrape, sumOf } from '../support/metrics';
import { startServer } from '../support/server';
import { isStartedByNext } from '../support/started-by';
import { shortTimings, timingsWithoutPolling } from '../support/timings';
import { expect, test } from './fixtures';
import { lockDelivery } from './rig/delivery-lock';
import { transfersOf, untilState, uploadsOf } from './rig/found';
import { ask, persist, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

test.skip(isStartedByNext, 'PROCESSES is a setting of npm start, and has no effect under next start');

// Other tests on the rig use a server with one process.
test.afterEach(({ rig }) => rig.kill());

/** Starts a server with two processes, and waits for both. @returns the PID of their parent */
async function startTwo(
  rig: Rig,
  changed: Record<string, string> = {},
  timings: Timings = shortTimings,
): Promise<number> {
  await rig.kill();
  await rig.passTakeoverTime();
  // Calls are held up until both processes have some. On a busy machine that takes a while.
  const patient = { ...timings, evm: { ...timings.evm, answerWithinMs: 30_000 } };
  const pid = await rig.startProcess({ PROCESSES: '2', ...changed }, patient);
  await until('both processes listen', async () => listening(rig).length === 2);
  // A late last heartbeat of the rig's previous server has to expire.
  await until('they live alone', async () => (await processesOf(rig)).length === 2);
  return pid;
}

/** The numbers of the processes that have begun to listen, in that order. */
function listening(rig: Rig): number[] {
  return logOf(rig, 'listening').map(({ process }) => Number(process));
}

function logOf(rig: Rig, msg: string): Record<string, unknown>[] {
  const lines = rig.server().output().split('\n');
  return lines.flatMap((line) => (line.includes(`"msg":"${msg}"`) ? [JSON.parse(line)] : []));
}

/** The processes that are alive according to the database, as named by `process-identity.ts`. */
async function processesOf(rig: Rig): Promise<string[]> {
  const rows = await rig.query<{ process: string }>(
    'SELECT process FROM instance WHERE alive_until > now() ORDER BY process',
  );
  return rows.map(({ process }) => process);
}

function kill(one: string, signal: NodeJS.Signals = 'SIGKILL'): void {
  process.kill(Number(one.split(' ')[0]), signal);
}

/** Eight payers, each with a signed request. */
async function eightRequests(rig: Rig) {
  const wallets = await Promise.all(Array.from({ length: 8 }, () => rig.newEvmPayer()));
  return Promise.all(wallets.map((wallet) => sign(rig, wallet)));
}

/** How many processes are working on calls. */
async function atWork(rig: Rig): Promise<number> {
  const [row] = await rig.query<{ processes: number }>(
    "SELECT count(DISTINCT worked_by)::int AS processes FROM paid_call WHERE state = 'settling'",
  );
  return row?.processes ?? 0;
}

async function expectOneTransferAndUpload(rig: Rig, payer: string): Promise<void> {
  expect(await transfersOf(rig, payer)).toHaveLength(1);
  expect(await uploadsOf(rig, payer)).toHaveLength(1);
}

test('two processes serve on one port, and the one without a key has the other settle', async ({ rig }) => {
  await startTwo(rig);
  expect(listening(rig).sort()).toEqual([1, 2]);
  expect(await processesOf(rig)).toHaveLength(2);
  const requests = await eightRequests(rig);
  const held = rig.base.hold('eth_getTransactionReceipt', 'before');
  const asked = requests.map((request) => ask(request));
  await until('both work', async () => (await atWork(rig)) === 2);
  held.release();
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  for (const { payer } of requests) await expectOneTransferAndUpload(rig, payer);
  expect(logOf(rig, 'a signer was leased').length).toBe(1);
  // A retry gets the same response from whichever process it reaches.
  const again = await Promise.all(requests.map((request) => ask(request)));
  expect(again.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(Array(8).fill('true'));
  expect(await rig.audit()).toEqual([]);
});

test('a process without a key has its charges settled, and learns their outcomes, without polling by anybody', async ({
  rig,
}) => {
  await startTwo(rig, {}, timingsWithoutPolling);
  for (let round = 1; round <= 2; round += 1) {
    const requests = await eightRequests(rig);
    const held = rig.base.hold('eth_getTransactionReceipt', 'before');
    const asked = requests.map((request) => ask(request));
    await until('both work', async () => (await atWork(rig)) === 2);
    held.release();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  }
  expect(logOf(rig, 'a signer was leased').length).toBe(1);
  expect(await rig.audit()).toEqual([]);
});

test('a killed process is replaced, and its call is delivered once', async ({ rig }) => {
  await startTwo(rig);
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const lock = await lockDelivery(rig, wallet.address);
  const first = ask(request).catch(() => null);
  await lock.reached();
  const [victim] = await rig.query<{ process: string }>(
    'SELECT process FROM instance JOIN paid_call ON worked_by = instance.id WHERE payer = $1',
    [wallet.address],
  );
  const killed = victim?.process ?? '';
  kill(killed);
  expect(await first).toBeNull();
  // The other process keeps answering.
  expect((await fetch(`${rig.apiUrl}/health`)).status).toBe(200);
  await lock.abandon();
  await untilState(rig, wallet.address, 'delivered', 10_000);
  await until('it is replaced', async () => listening(rig).length === 3);
  expect(logOf(rig, 'a process ended and will be replaced')).toMatchObject([
    { process: listening(rig)[2], signal: 'SIGKILL', afterMs: 0 },
  ]);
  const alive = await processesOf(rig);
  expect(alive).toHaveLength(2);
  expect(alive).not.toContain(killed);
  expect((await persist(request)).status).toBe(200);
  await expectOneTransferAndUpload(rig, wallet.address);
  expect(await rig.audit()).toEqual([]);
});

test('a process that keeps ending early is replaced later each time', async ({ rig }) => {
  await startTwo(rig);
  let [victim = ''] = await processesOf(rig);
  for (let time = 0; time < 3; time += 1) {
    const before = await processesOf(rig);
    kill(victim);
    victim = await until('it is replaced', async () =>
      (await processesOf(rig)).find((one) => !before.includes(one)),
    );
  }
  const ends = logOf(rig, 'a process ended and will be replaced');
  expect(ends.map(({ afterMs }) => afterMs)).toEqual([0, 100, 200]);
});

test('a process that hangs is killed and replaced', async ({ rig }) => {
  await startTwo(rig);
  const [victim = '', other] = await processesOf(rig);
  kill(victim, 'SIGSTOP');
  await until('it is killed', async () => hasEnded({ process: victim }));
  // The server's log arrives through a pipe, perhaps later than the end of its process.
  const killed = () => logOf(rig, 'a process that hangs is killed');
  await until('it is logged', async () => killed().length > 0);
  expect(killed()).toMatchObject([{ pid: Number(victim.split(' ')[0]) }]);
  await until('it is replaced', async () => listening(rig).length === 3);
  expect(await processesOf(rig)).toContain(other);
});

test('SIGTERM ends all processes after their requests', async ({ rig }) => {
  const parent = await startTwo(rig);
  const requests = await eightRequests(rig);
  const held = rig.base.hold('eth_getTransactionReceipt', 'before');
  const asked = requests.map((request) => ask(request));
  await until('both work', async () => (await atWork(rig)) === 2);
  const processes = await processesOf(rig);
  process.kill(parent, 'SIGTERM');
  // A service manager may signal all processes at once.
  for (const one of processes) kill(one, 'SIGTERM');
  await until('nobody listens', () =>
    fetch(`${rig.apiUrl}/health`).then(
      () => false,
      () => true,
    ),
  );
  held.release();
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  await until('all have ended', async () => !isRunning(parent));
  expect(processes.every((process) => hasEnded({ process }))).toBe(true);
  expect(await processesOf(rig)).toEqual([]);
  expect(logOf(rig, 'stopped with requests under way')).toEqual([]);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('when the parent is killed, its processes end', async ({ rig }) => {
  await startTwo(rig);
  const processes = await processesOf(rig);
  await rig.kill();
  await until('all have ended', async () => processes.every((process) => hasEnded({ process })));
});

test('a client address has one limit at all processes', async ({ rig }) => {
  const factor = 0.05;
  const calls = rateLimits.freeCalls.quota * factor;
  await startTwo(rig, { RATE_LIMIT_FACTOR: String(factor) });
  // Concurrent, so that each request has its own connection.
  const answers = await Promise.all(
    Array.from({ length: 2 * calls }, () => fetch(`${rig.apiUrl}/v1/tools/prices`)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(calls);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(calls);
});

test('a token that was valid at one process is accepted by all, however many wrong ones its address has sent', async ({
  rig,
}) => {
  const factor = 0.2;
  const wrong = rateLimits.wrongTokens.quota * factor;
  await startTwo(rig, { RATE_LIMIT_FACTOR: String(factor) });
  const { token } = await (await fetch(`${rig.apiUrl}/v1/accounts`, { method: 'POST' })).json();
  const statusesOf = async (times: number, bearer: string) => {
    const one = () => fetch(`${rig.apiUrl}/v1/account`, { headers: { Authorization: `Bearer ${bearer}` } });
    return (await Promise.all(Array.from({ length: times }, one))).map(({ status }) => status);
  };
  expect(await statusesOf(1, token)).toEqual([200]);
  expect(await statusesOf(wrong, 'wrong')).toEqual(Array(wrong).fill(401));
  await until('it has sent too many', async () => (await statusesOf(1, 'wrong'))[0] === 429);
  expect(await statusesOf(8, token)).toEqual(Array(8).fill(200));
});

test('any process prints the metrics of all, and what a killed one had counted stays', async ({ rig }) => {
  await startTwo(rig);
  const requests = await eightRequests(rig);
  const held = rig.base.hold('eth_getTransactionReceipt', 'before');
  const asked = requests.map((request) => ask(request));
  await until('both work', async () => (await atWork(rig)) === 2);
  held.release();
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  // Concurrent, so that each request has its own connection, and both processes are asked.
  const delivered = async () => {
    const scrapes = await Promise.all(Array.from({ length: 6 }, () => scrape(rig.apiUrl)));
    return scrapes.map((one) => sumOf(one, 'tuppence_paid_calls_total', { result: 'delivered' }));
  };
  expect(await delivered()).toEqual(Array(6).fill(8));
  const before = await processesOf(rig);
  for (const process of before) kill(process);
  await until('both are replaced', async () => listening(rig).length === 4);
  expect(await delivered()).toEqual(Array(6).fill(8));
});

test('a server whose processes cannot start ends, and says why', async ({ rig }) => {
  const settings = { ...rig.serverEnv, DATABASE_URL: 'postgresql://127.0.0.1:1/none', PROCESSES: '2' };
  await expect(startServer(settings)).rejects.toThrow(/did not start[\s\S]*ECONNREFUSED/);
});
