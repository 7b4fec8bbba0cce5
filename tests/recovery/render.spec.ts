import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bomb } from '../render/bomb';
import { browserProcesses } from '../render/browser-processes';
import { lockSending, lockTable } from '../support/database-lock';
import { minimalHtml } from '../support/pdf';
import { loseAnswer } from '../support/rpc-proxy';
import { shortTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { callsOf, transfersOf, untilState, uploadsOf } from './rig/found';
import { ask, persist, type SignedRequest, sign } from './rig/requests';
import type { Rig } from './rig/rig';

const receipt = 'eth_getTransactionReceipt';
const aPdf = { path: '/render/pdf', body: JSON.stringify({ html: minimalHtml }) };
const signPdf = async (rig: Rig) => sign(rig, await rig.newEvmPayer(), aPdf);

/** Files that are rendered but not published. */
const heldFiles = (rig: Rig) =>
  rig.query<{ id: string; erased_at: Date | null }>('SELECT id, erased_at FROM held_file');

const isStored = (rig: Rig, id: string) =>
  existsSync(path.join(rig.serverEnv.STORAGE_DIR ?? '', 'uploads', id));

async function expectPaidAndPublishedOnce(rig: Rig, payer: string): Promise<void> {
  expect(await transfersOf(rig, payer)).toHaveLength(1);
  const [id = '', ...others] = await uploadsOf(rig, payer);
  expect(others).toEqual([]);
  expect(isStored(rig, id)).toBe(true);
  expect(await rig.audit()).toEqual([]);
}

/** Brings a server to a point and kills it there. The rig is then restarted with nothing blocked. */
async function killAt(
  rig: Rig,
  block: (payer: string) => Promise<{ reached(): Promise<unknown>; clear(): Promise<void> }>,
) {
  const request = await signPdf(rig);
  const obstacle = await block(request.payer);
  const first = ask(request).catch(() => null);
  await obstacle.reached();
  await rig.kill();
  await obstacle.clear();
  expect(await first).toBeNull();
  await rig.passTakeoverTime();
  await rig.start();
  return request;
}

async function blockTable(rig: Rig, table: string) {
  const lock = await lockTable(rig.databaseUrl, table, 'INSERT INTO');
  return { reached: () => lock.reached(), clear: () => lock.abandon() };
}

test('after a kill during rendering, nothing is charged without a retry, and the same request buys the PDF', async ({
  rig,
}) => {
  const request = await killAt(rig, () => blockTable(rig, 'held_file'));
  const call = await untilState(rig, request.payer, 'refused');
  expect(call.refusal_reason).toBe('service_unavailable');
  expect(await transfersOf(rig, request.payer)).toEqual([]);
  expect((await persist(request)).status).toBe(200);
  await expectPaidAndPublishedOnce(rig, request.payer);
});

test('while the outcome of its payment is unknown a PDF stays private, and is published when it is settled', async ({
  rig,
}) => {
  const request = await signPdf(rig);
  const rule = rig.base.on(receipt, loseAnswer);
  const first = await ask(request);
  const [call] = await callsOf(rig, request.payer);
  expect(first.status).toBe(503);
  expect(first.body.error).toMatchObject({
    code: 'render_settlement_unknown',
    payment: 'unknown',
    retry: 'same_request',
    paidCallId: call?.id,
  });
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await uploadsOf(rig, request.payer)).toEqual([]);
  expect((await heldFiles(rig)).some(({ id }) => isStored(rig, id))).toBe(true);
  rule.remove();
  expect((await persist(request)).status).toBe(200);
  await expectPaidAndPublishedOnce(rig, request.payer);
});

test('a PDF that was erased because its payment took too long is rendered again when that is settled', async ({
  rig,
}) => {
  const request = await signPdf(rig);
  const rule = rig.base.on(receipt, loseAnswer);
  expect((await ask(request)).status).toBe(503);
  await rig.query('UPDATE held_file SET erased_at = now()');
  rule.remove();
  const answer = await persist(request);
  expect(answer.status).toBe(200);
  const file = await fetch(answer.body.publicUrl);
  expect((await file.arrayBuffer()).byteLength).toBe(answer.body.bytes);
  expect(await transfersOf(rig, request.payer)).toHaveLength(1);
});

test('a PDF whose payment is finally refused is erased, and was never public', async ({ rig }) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet, aPdf);
  const lock = await lockSending(rig.databaseUrl);
  const answering = ask(request);
  await lock.reached();
  const held = (await heldFiles(rig)).filter(({ erased_at }) => erased_at === null);
  await rig.drain(wallet);
  await lock.release();
  expect((await answering).status).toBe(402);
  expect(await uploadsOf(rig, wallet.address)).toEqual([]);
  const left = new Set((await heldFiles(rig)).map(({ id }) => id));
  expect(held.filter(({ id }) => isStored(rig, id) && !left.has(id))).toEqual([]);
  expect(held.some(({ id }) => !isStored(rig, id))).toBe(true);
  const [counted] = await rig.query<{ attempts: number }>('SELECT attempts FROM attempt WHERE key = $1', [
    `uncharged:browser:payer:${wallet.address}`,
  ]);
  expect(counted?.attempts, 'rendered for nothing, by the budget of the payer').toBeGreaterThan(0);
});

/** The same request with another document. Only for requests that have not been sent yet. */
const withHtml = (request: SignedRequest, html: string): SignedRequest => ({
  ...request,
  init: { ...request.init, body: JSON.stringify({ html }) },
});

test('while the browser does not start, a paid request gets 503 with Retry-After, and readiness names the renderer', async ({
  rig,
}) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-renderer-'));
  const program = path.join(folder, 'chromium');
  await writeFile(program, '#!/bin/sh\nexit 1\n');
  await chmod(program, 0o755);
  await rig.restart({ CHROMIUM_PATH: program });
  try {
    const request = await signPdf(rig);
    const answer = await ask(request);
    expect(answer.status).toBe(503);
    expect(answer.body.error).toMatchObject({
      code: 'renderer_unavailable',
      payment: 'none',
      retry: 'later',
    });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const ready = await fetch(`${rig.apiUrl}/health/ready`);
    expect([ready.status, (await ready.json()).degraded]).toEqual([200, ['renderer']]);
    expect(await callsOf(rig, request.payer)).toEqual([]);
  } finally {
    await rig.kill();
    await rm(folder, { recursive: true });
  }
});

test('without Chromium an unpaid request gets the challenge, a paid one gets 503, and nothing is stored or charged', async ({
  rig,
}) => {
  await rig.restart({ CHROMIUM_PATH: '/nowhere/chromium' });
  try {
    const request = await signPdf(rig);
    const answer = await ask(request);
    expect(answer.status).toBe(503);
    expect(answer.body.error).toMatchObject({ code: 'renderer_unconfigured', payment: 'none' });
    const refused = await ask(withHtml(request, '<script>1</script>'));
    expect(refused.body.error.reason, 'what is forbidden is said first').toBe('forbidden_html');
    expect(await callsOf(rig, request.payer)).toEqual([]);
  } finally {
    await rig.kill();
  }
});

test('with every browser busy a paid request gets 503 before anything is charged, and the same payment is served later', async ({
  rig,
}) => {
  const browsers = { ...shortTimings.browsers, printMs: 10_000 };
  await rig.restart({ RENDER_BROWSERS: '1', RENDER_QUEUE: '0' }, { ...shortTimings, browsers });
  try {
    const heavy = withHtml(await signPdf(rig), bomb);
    const request = await signPdf(rig);
    const rendering = ask(heavy);
    await untilState(rig, heavy.payer, 'claimed');
    const busy = await ask(request);
    expect(busy.status).toBe(503);
    expect(busy.body.error).toMatchObject({ code: 'renderer_busy', payment: 'none' });
    expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await transfersOf(rig, request.payer)).toEqual([]);
    expect((await rendering).body.error.code).toBe('render_failed');
    expect((await persist(request)).status).toBe(200);
    await expectPaidAndPublishedOnce(rig, request.payer);
  } finally {
    await rig.kill();
  }
});

/** @returns false if the process has exited on its own since it was seen */
function killIfAlive(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

const comeAgain: readonly unknown[] = ['renderer_busy', 'render_settlement_unknown'];

test('browsers killed under load fail no call', async ({ rig }) => {
  test.skip(process.platform !== 'linux', 'processes are read from /proc');
  await rig.kill();
  // The killed server's key must be free.
  await rig.passTakeoverTime();
  const pid = await rig.startProcess();
  expect((await ask(await signPdf(rig))).status).toBe(200);
  const requests = await Promise.all(Array.from({ length: 8 }, () => signPdf(rig)));
  const codes: unknown[] = [];
  const recorded: typeof ask = async (request, signal) => {
    const answer = await ask(request, signal);
    if (answer.status !== 200) codes.push(answer.body.error?.code);
    return answer;
  };
  const answering = Promise.all(requests.map((request) => persist(request, 60_000, recorded)));
  for (let killed = 0; killed < 2; ) {
    const { running } = await browserProcesses(pid);
    if (running.length > 0 && killIfAlive(Math.min(...running))) killed += 1;
  }
  expect((await answering).map(({ status }) => status)).toEqual(requests.map(() => 200));
  // On a slow machine, a slot or a block may take longer than calls wait for it. The client is then told to retry.
  expect(codes.filter((code) => !comeAgain.includes(code))).toEqual([]);
  for (const { payer } of requests) expect(await transfersOf(rig, payer)).toHaveLength(1);
});
