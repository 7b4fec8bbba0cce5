import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from '../support/database';
import { fullOnly, sample } from '../support/tiers';
import { expect } from '../support/without-browser';
import type { Fault } from './api-proxy';
import { balanceOf, failureOf, type Machine, outputOf, test, textsOf, topUp } from './rig';

const reservation = /^POST \/v1\/account\/uploads$/;
const renewal = /^POST \/v1\/account\/uploads\/[^/]+\/renew$/;
const delivery = /^PUT /;

const base64 = () => randomBytes(64).toString('base64');
const bytesAt = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer()).toString('base64');

async function uploadsOf(machine: Machine): Promise<number> {
  const { accounts } = await machine.state();
  const [row] = await sql<{ count: string }>('SELECT count(*) FROM upload WHERE owner = $1', [
    accounts.at(-1)?.accountId,
  ]);
  return Number(row?.count);
}

const passing: readonly { what: string; fault: Fault; on: RegExp }[] = [
  { what: 'the answer to a reservation is lost', fault: 'lose-answer', on: reservation },
  { what: 'a reservation is lost', fault: 'lose-request', on: reservation },
  { what: 'a gateway answers in place of the service', fault: 'gateway-error', on: reservation },
  { what: 'the answer to a reservation has no end', fault: 'endless-answer', on: reservation },
  { what: 'the answer to the bytes is lost', fault: 'lose-answer', on: delivery },
  { what: 'the bytes are lost', fault: 'lose-request', on: delivery },
];

for (const { what, fault, on } of passing) {
  test(
    `${what}: the call goes on by itself and is charged once`,
    sample(fault === 'lose-answer'),
    async ({ machine }) => {
      const adapter = await machine.start();
      await topUp(adapter);
      const rule = machine.proxy.on(on, fault);
      const sent = base64();
      const { publicUrl } = outputOf<{ publicUrl: string }>(await adapter.call('upload', { base64: sent }));
      expect(rule.hits).toBe(1);
      expect(rule.answerBytes).toBeLessThan(64 * 1024 * 1024);
      expect(await bytesAt(publicUrl)).toBe(sent);
      expect([await balanceOf(machine), await uploadsOf(machine)]).toEqual(['0.995', 1]);
    },
  );
}

const killed: readonly { what: string; fault: Fault; on: RegExp }[] = [
  { what: 'while a reservation is answered', fault: 'hold-answer', on: reservation },
  { what: 'while the bytes are on their way', fault: 'hold-answer', on: delivery },
];

for (const { what, fault, on } of killed) {
  test(
    `kill -9 of the adapter ${what}, then the same call: charged once`,
    sample(on === delivery),
    async ({ machine }) => {
      const adapter = await machine.start();
      await topUp(adapter);
      const file = path.join(machine.home, 'report.pdf');
      await writeFile(file, randomBytes(5_000));
      const rule = machine.proxy.on(on, fault);
      const lost = adapter.call('upload', { path: file }).catch(() => 'lost');
      await rule.happened;
      await adapter.kill();
      expect(await lost).toBe('lost');
      expect(await balanceOf(machine)).toBe('0.995');
      const again = await (await machine.start()).call('upload', { path: file });
      expect((await fetch(outputOf<{ publicUrl: string }>(again).publicUrl)).status).toBe(200);
      expect(textsOf(again)[1]).toMatch(/charged once/);
      expect([await balanceOf(machine), await uploadsOf(machine)]).toEqual(['0.995', 1]);
      // A key is deleted when its response has been delivered.
      await expect.poll(async () => (await machine.state()).openCalls).toEqual({});
    },
  );
}

test(
  'kill -9 during a renewal, then the same call: renewed and charged once',
  fullOnly,
  async ({ machine }) => {
    const adapter = await machine.start();
    await topUp(adapter);
    const { id } = outputOf<{ id: string }>(await adapter.call('upload', { base64: base64() }));
    const rule = machine.proxy.on(renewal, 'hold-answer');
    const lost = adapter.call('renew_upload', { id }).catch(() => 'lost');
    await rule.happened;
    await adapter.kill();
    await lost;
    const again = await (await machine.start()).call('renew_upload', { id });
    expect(outputOf(again)).toMatchObject({ id, renewalCount: 1 });
    expect(await balanceOf(machine)).toBe('0.99');
  },
);

test('a call that the assistant abandoned is resumed by the next identical one', async ({ machine }) => {
  const adapter = await machine.start();
  await topUp(adapter);
  const args = { base64: base64() };
  const rule = machine.proxy.on(reservation, 'hold-answer');
  const controller = new AbortController();
  const lost = adapter.client
    .callTool({ name: 'upload', arguments: args }, undefined, { signal: controller.signal })
    .catch(() => 'given up');
  await rule.happened;
  controller.abort();
  expect(await lost).toBe('given up');
  const again = await adapter.call('upload', args);
  expect(await bytesAt(outputOf<{ publicUrl: string }>(again).publicUrl)).toBe(args.base64);
  expect([await balanceOf(machine), await uploadsOf(machine)]).toEqual(['0.995', 1]);
});

test('a file is sent again as late as a busy store asks', fullOnly, async ({ machine }) => {
  const adapter = await machine.start();
  await topUp(adapter);
  machine.proxy.on(delivery, { status: 503, body: {}, headers: { 'Retry-After': '3' } });
  const begunAt = performance.now();
  const args = { base64: base64() };
  const uploaded = outputOf<{ publicUrl: string }>(await adapter.call('upload', args));
  expect(performance.now() - begunAt).toBeGreaterThan(3_000);
  expect(await bytesAt(uploaded.publicUrl)).toBe(args.base64);
});

test('the same call after its response is a new call', fullOnly, async ({ machine }) => {
  const adapter = await machine.start();
  await topUp(adapter);
  const args = { base64: base64() };
  const ids = new Set<string>();
  for (let time = 0; time < 3; time += 1) {
    ids.add(outputOf<{ id: string }>(await adapter.call('upload', args)).id);
  }
  expect(ids.size).toBe(3);
  expect(await balanceOf(machine)).toBe('0.985');
});

test(
  'a response that does not belong to an earlier attempt does not end that attempt',
  fullOnly,
  async ({ machine }) => {
    const adapter = await machine.start();
    await topUp(adapter);
    const args = { base64: base64() };
    machine.proxy.on(reservation, 'lose-answer');
    const error = { code: 'service_unavailable', message: 'Not now.', payment: 'none', retry: 'later' };
    machine.proxy.on(reservation, { status: 503, body: { error } });
    const failure = failureOf(await adapter.call('upload', args));
    expect(failure).toMatchObject({ payment: 'unknown', retry: 'same_request' });
    outputOf(await adapter.call('upload', args));
    expect([await balanceOf(machine), await uploadsOf(machine)]).toEqual(['0.995', 1]);
  },
);

/** Makes a process's clock run twenty times as fast: the process gives up on a service after 45 seconds by that clock. */
const hurried = `data:text/javascript,${encodeURIComponent(`
  import { syncBuiltinESMExports } from 'node:module';
  import timers from 'node:timers/promises';
  const startedAt = Date.now();
  const now = Date.now;
  Date.now = () => startedAt + 20 * (now() - startedAt);
  const sleep = timers.setTimeout;
  timers.setTimeout = (ms, ...rest) => sleep(ms / 20, ...rest);
  syncBuiltinESMExports();`)}`;

test('an unreachable service charges nothing and leaves nothing open', fullOnly, async ({ machine }) => {
  const adapter = await machine.start({ NODE_OPTIONS: `--import=${hurried}` });
  await topUp(adapter);
  await machine.proxy.close();
  const failure = failureOf(await adapter.call('renew_upload', { id: 'up_3nKq0Zt7mVb2XsYd81PfLcRw' }));
  expect(failure).toMatchObject({ code: 'service_unreachable', payment: 'none', retry: 'later' });
  expect((await machine.state()).openCalls).toEqual({});
});

test(
  'if the bytes do not arrive in time, the error says that the slot was paid, and the next call buys a new one',
  fullOnly,
  async ({ machine }) => {
    const adapter = await machine.start();
    await topUp(adapter);
    const args = { base64: base64() };
    const rule = machine.proxy.on(delivery, 'hold-answer');
    const lost = adapter.call('upload', args).catch(() => 'lost');
    await rule.happened;
    await adapter.kill();
    await lost;
    const [accountId] = (await machine.state()).accounts.map((account) => account.accountId);
    await sql(`UPDATE upload SET deleted_at = now() WHERE owner = $1`, [accountId]);
    const next = await machine.start();
    expect(failureOf(await next.call('upload', args))).toMatchObject({
      code: 'slot_lapsed',
      payment: 'kept',
    });
    expect(await balanceOf(machine)).toBe('0.995');
    const { publicUrl } = outputOf<{ publicUrl: string }>(await next.call('upload', args));
    expect(await bytesAt(publicUrl)).toBe(args.base64);
    expect(await balanceOf(machine)).toBe('0.99');
  },
);
