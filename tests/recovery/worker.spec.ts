import { type DatabaseLock, lockTable } from '../support/database-lock';
import type { Program } from '../support/program';
import { startWorker } from '../support/worker';
import { expect, test as recoveryTest } from './fixtures';
import { lockDelivery } from './rig/delivery-lock';
import { callsOf, expectPaidAndDeliveredOnce, untilState } from './rig/found';
import { ask, persist, type SignedRequest, sign } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';

interface Fixtures {
  /** A service with a server that runs no jobs. */
  rig: Rig;
  /** Starts another worker process for the service, with its own settlement key. */
  hire: () => Promise<Program>;
}

const test = recoveryTest.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  rig: async ({}, use) => {
    const rig = await startRig();
    await rig.start({ WORKER: 'separate' });
    await use(rig);
    await rig.close();
  },
  hire: async ({ rig }, use) => {
    const ends: (() => Promise<unknown>)[] = [];
    await use(async () => {
      const other = await startRig({ beside: rig });
      ends.push(() => other.close());
      const filesUrl = rig.apiUrl.replace('localhost', '127.0.0.1');
      const worker = await startWorker({ ...other.serverEnv }, { apiUrl: rig.apiUrl, filesUrl });
      ends.unshift(() => worker.kill());
      return worker;
    });
    for (const end of ends) await end();
  },
});

/** A call that is paid but not delivered, because its server was killed. The lock blocks its effect until released. */
async function abandonPaidCall(rig: Rig): Promise<{ request: SignedRequest; lock: DatabaseLock }> {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const lock = await lockDelivery(rig, wallet.address);
  const first = ask(request).catch(() => null);
  await lock.reached();
  await rig.kill();
  expect(await first).toBeNull();
  await lock.abandon();
  return { request, lock: await lockTable(rig.databaseUrl, 'upload', 'INSERT INTO') };
}

test('a separate worker process finishes the calls of a killed server, which runs no jobs itself', async ({
  rig,
  hire,
}) => {
  const { request, lock } = await abandonPaidCall(rig);
  await lock.release();
  await rig.passTakeoverTime();
  await rig.start({ WORKER: 'separate' });
  expect(await rig.query('SELECT job FROM turn')).toEqual([]);
  expect((await callsOf(rig, request.payer)).map(({ state }) => state)).toEqual(['settled']);
  await hire();
  await untilState(rig, request.payer, 'delivered', 10_000);
  await expectPaidAndDeliveredOnce(rig, request.payer);
  expect((await persist(request)).status).toBe(200);
});

test('a worker that is told to stop finishes the call it is working on first', async ({ rig, hire }) => {
  const { request, lock } = await abandonPaidCall(rig);
  await rig.passTakeoverTime();
  const worker = await hire();
  await lock.reached();
  const stopped = worker.stop();
  await until('the wait for the job', async () => worker.output().includes('waiting for a job to end'));
  await lock.release();
  await stopped;
  expect((await callsOf(rig, request.payer)).map(({ state }) => state)).toEqual(['delivered']);
  // Of the two processes, only the server's row is left, and the server has long been silent.
  expect(await rig.query('SELECT 1 FROM instance WHERE alive_until > now()')).toEqual([]);
  await expectPaidAndDeliveredOnce(rig, request.payer);
});
