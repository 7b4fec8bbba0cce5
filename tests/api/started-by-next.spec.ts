import { readFileSync } from 'node:fs';
import { rateLimits } from '@/lib/catalog/rate-limits';
import { transfersOf } from '../recovery/rig/found';
import { ask, persist, sign } from '../recovery/rig/requests';
import { type Rig, startRig } from '../recovery/rig/rig';
import { until } from '../recovery/rig/waiting';
import { payingFetch } from '../support/buyer';
import { aFile } from '../support/files';
import { connectMcp, expectToolPaidOnce } from '../support/mcp';
import { minimalHtml, type Pdf } from '../support/pdf';
import { hasReadOnlyDisk } from '../support/read-only-disk';
import { startServer, type TestServer } from '../support/server';
import { stack } from '../support/stack';
import { putFile, type Slot } from '../support/uploads';
import { expect, test } from '../support/without-browser';

/**
 * Plain `next start`: instrumentation.ts starts the app, and routes take the requests. `npm run test:next` runs all other
 * tests this way too.
 */

/** A small factor on the real limit, so that few calls use it up. */
const factor = 0.1;
const calls = rateLimits.freeCalls.quota * factor;

let rig: Rig;
let server: TestServer;
const startNext = () =>
  startServer(
    { ...rig.serverEnv, RATE_LIMIT_FACTOR: String(factor) },
    { isStartedByNext: true, isOnReadOnlyDisk: hasReadOnlyDisk },
  );

test.beforeAll(async () => {
  rig = await startRig();
  server = await startNext();
});
test.afterAll(async () => {
  await server?.kill();
  await rig?.close();
});

/** The rig's chains with the server that is running now. */
const here = () => ({ apiUrl: server.apiUrl, chainUrl: rig.chainUrl });

test('next start delivers an upload, takes its file and serves the link on the files origin alone', async () => {
  const file = aFile(1_000);
  const pay = payingFetch(await rig.newEvmPayer(), 'base');
  const bought = await pay(`${server.apiUrl}/v1/uploads`, { method: 'POST', body: file.body });
  expect(bought.status, await bought.clone().text()).toBe(200);
  const slot = (await bought.json()) as Slot;
  expect((await putFile(slot, file.bytes)).status).toBe(200);
  const link = await fetch(slot.publicUrl);
  expect(Buffer.from(await link.arrayBuffer()).equals(file.bytes)).toBe(true);
  expect(new URL(slot.publicUrl).origin).toBe(server.filesUrl);
  for (const path of ['/', '/f/some-form', '/health']) {
    expect([path, (await fetch(server.filesUrl + path)).status]).toEqual([path, 404]);
  }
});

test('the servers of the tests sell files and PDFs where the folder of the project can only be read', async () => {
  test.skip(!hasReadOnlyDisk, 'this takes Linux, unshare, and the right to have namespaces');
  const pay = payingFetch(await rig.newEvmPayer(), 'base');
  const pdf = await pay(`${server.apiUrl}/v1/render/pdf`, {
    method: 'POST',
    body: JSON.stringify({ html: minimalHtml }),
  });
  expect(pdf.status, await pdf.clone().text()).toBe(200);
  expect((await fetch(((await pdf.json()) as Pdf).publicUrl)).status).toBe(200);
  // The other tests buy files and PDFs from the stack's server.
  for (const pid of [server.pid, stack().serverPid]) {
    const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
    const project = mounts.findLast((line) => line.split(' ')[4] === process.cwd());
    expect(project?.split(' ')[5]).toMatch(/^ro,/);
  }
  expect(server.output()).not.toContain('EROFS');
});

test('under next start pages and documents are compressed', async () => {
  const headers = { 'Accept-Encoding': 'gzip' };
  const page = await fetch(`${server.apiUrl}/f/unknown`, { headers });
  expect([page.status, page.headers.get('content-encoding')]).toEqual([404, 'gzip']);
  const document = await fetch(`${server.apiUrl}/openapi.json`, { headers });
  expect([document.status, document.headers.get('content-encoding')]).toEqual([200, 'gzip']);
});

test('under next start a tool is paid over MCP, and the same payment is not charged again', async () => {
  const client = await connectMcp(server.apiUrl);
  const wallet = await rig.newEvmPayer();
  await expectToolPaidOnce(client, wallet);
  await client.close();
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
});

test('under next start no header changes the address for which a client is limited', async () => {
  const statuses = await Promise.all(
    Array.from({ length: calls + 1 }, async (_, index) => {
      const address = `203.0.113.${index}`;
      const headers = { 'X-Forwarded-For': address, 'Client-Address': address, Forwarded: `for=${address}` };
      // A free call, and a page.
      const path = index % 2 === 0 ? '/v1/tools/prices' : '/f/unknown';
      return (await fetch(server.apiUrl + path, { headers })).status;
    }),
  );
  expect(statuses).toContain(429);
});

test('next start killed with a payment under way charges it once and delivers it after the restart', async () => {
  const payer = await rig.newEvmPayer();
  const request = await sign(here(), payer);
  const held = rig.base.hold('eth_sendRawTransaction', 'after');
  const interrupted = ask(request).catch(() => null);
  await held.reached;
  await server.kill();
  held.abandon();
  expect(await interrupted).toBeNull();

  server = await startServer(
    { ...rig.serverEnv },
    { isStartedByNext: true, port: Number(new URL(server.apiUrl).port) },
  );
  expect((await persist(request)).status).toBe(200);
  expect(await transfersOf(rig, payer.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('next start that is told to stop accepts no more requests and finishes the open call', async () => {
  const held = rig.base.hold('eth_sendRawTransaction', 'before');
  const answer = ask(await sign(here(), await rig.newEvmPayer()));
  await held.reached;
  const stopped = server.stop();
  const isAnswered = () =>
    fetch(`${server.apiUrl}/health`).then(
      () => true,
      () => false,
    );
  await until('no more requests accepted', async () => !(await isAnswered()));
  held.release();
  expect((await answer).status).toBe(200);
  await stopped;
  expect(server.output()).not.toContain('stopped with requests under way');
});

test('next start that cannot start says why and ends', async () => {
  const starting = startServer({ ...rig.serverEnv, PAY_TO_EVM: 'nobody' }, { isStartedByNext: true });
  await expect(starting).rejects.toThrow('PAY_TO_EVM');
});
