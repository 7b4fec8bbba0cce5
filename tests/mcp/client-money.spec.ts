import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { decodePaymentRequiredHeader, encodePaymentRequiredHeader } from '@x402/core/http';
import { balanceOf } from '../support/balances';
import { callsOf } from '../support/database';
import { expect } from '../support/without-browser';
import type { Fault } from './api-proxy';
import { newClientWallet, runClient, startClient } from './client';
import { type Machine, test } from './rig';

/** The client pays only once per command, whatever is lost on the way, and never more than it may. */

const paid = /^POST \/v1\/uploads paid$/;
const unpaid = /^POST \/v1\/uploads$/;
const delivery = /^PUT /;
const command = ['upload', 'note.txt', '--json'];
const startAtomic = 1_000_000n;

test.beforeEach(async ({ machine }) => {
  await writeFile(path.join(machine.home, 'note.txt'), randomUUID());
});

/** Leaves the state of a command that was killed before its payment arrived, with that payment as if signed long ago. */
async function leaveExpiredPayment(machine: Machine, env: Record<string, string>): Promise<void> {
  const rule = machine.proxy.on(paid, 'hold-request');
  const { child, done } = startClient(machine, command, { env });
  await rule.happened;
  child.kill('SIGKILL');
  await done;
  const state = JSON.parse(await readFile(machine.stateFile, 'utf8'));
  const [entry] = Object.values(state.openCalls) as [
    { payment: { header: string; validBefore: string }; idempotencyKey: string },
  ];
  // The service would refuse this payment, and has never seen it.
  const payment = JSON.parse(Buffer.from(entry.payment.header, 'base64').toString());
  payment.payload.authorization.validBefore = '1700000000';
  entry.payment = {
    header: Buffer.from(JSON.stringify(payment)).toString('base64'),
    validBefore: new Date(1_700_000_000_000).toISOString(),
  };
  await writeFile(machine.stateFile, JSON.stringify(state));
}

type Offer = ReturnType<typeof decodePaymentRequiredHeader>['accepts'][number];

/** The service's 402 with changed offers. It says nothing about any call. */
async function terms402({ proxy }: Machine, change: Partial<Offer> = {}): Promise<Fault> {
  const { headers } = await fetch(`${proxy.apiUrl}/v1/uploads`, { method: 'POST' });
  const terms = decodePaymentRequiredHeader(headers.get('payment-required') ?? '');
  const accepts = terms.accepts.map((offer) => ({ ...offer, ...change }));
  const header = encodePaymentRequiredHeader({ ...terms, accepts });
  return { status: 402, body: {}, headers: { 'PAYMENT-REQUIRED': header } };
}

const passing: readonly { what: string; fault: Fault; on: RegExp }[] = [
  { what: 'the answer to the payment is lost', fault: 'lose-answer', on: paid },
  { what: 'the payment is lost', fault: 'lose-request', on: paid },
  { what: 'a gateway answers the payment', fault: 'gateway-error', on: paid },
  { what: 'the terms are lost', fault: 'lose-answer', on: unpaid },
  { what: 'the bytes are lost', fault: 'lose-request', on: delivery },
];

for (const { what, fault, on } of passing) {
  test(`${what}: the command goes on by itself with the same payment`, async ({ machine }) => {
    const { account, env } = await newClientWallet(startAtomic);
    const rule = machine.proxy.on(on, fault);
    const { code, stdout } = await runClient(machine, command, { env });
    expect([code, rule.hits]).toEqual([0, 1]);
    expect((await fetch(JSON.parse(stdout).publicUrl)).status).toBe(200);
    expect(new Set(machine.proxy.payments).size).toBe(1);
    expect(await balanceOf(account, 'base')).toBe(startAtomic - 5_000n);
    expect(await callsOf(account.address)).toBe(1);
    expect((await machine.state()).openCalls).toEqual({});
  });
}

for (const { what, on } of [
  { what: 'while its payment is answered', on: paid },
  { what: 'while its bytes are on their way', on: delivery },
]) {
  test(`kill -9 of the client ${what}, then the same command: the same payment, charged once`, async ({
    machine,
  }) => {
    const { account, env } = await newClientWallet(startAtomic);
    const rule = machine.proxy.on(on, 'hold-answer');
    const { child, done } = startClient(machine, command, { env });
    await rule.happened;
    child.kill('SIGKILL');
    expect((await done).stdout).toBe('');
    expect(await readFile(machine.stateFile, 'utf8')).not.toContain((env.TUPPENCE_WALLET_KEY ?? '').slice(2));
    const again = await runClient(machine, command, { env });
    expect(again.code).toBe(0);
    expect(again.stderr).toMatch(/which had not arrived\. Both calls together were charged once\.$/m);
    expect(new Set(machine.proxy.payments).size).toBe(1);
    expect(await balanceOf(account, 'base')).toBe(startAtomic - 5_000n);
    expect((await machine.state()).openCalls).toEqual({});
  });
}

test('a payment that expired before it arrived is replaced by a new one, under the same key', async ({
  machine,
}) => {
  const { account, env } = await newClientWallet(startAtomic);
  await leaveExpiredPayment(machine, env);
  const again = await runClient(machine, command, { env });
  expect(again).toMatchObject({ code: 0 });
  expect(await balanceOf(account, 'base')).toBe(startAtomic - 5_000n);
  expect(await callsOf(account.address)).toBe(1);
});

test('the same command after its response is a new call, unless it has a key of its own', async ({
  machine,
}) => {
  const { account, env } = await newClientWallet(startAtomic);
  await runClient(machine, command, { env });
  await runClient(machine, command, { env });
  expect(await balanceOf(account, 'base')).toBe(startAtomic - 10_000n);
  const keyed = [...command, '--idempotency-key', randomUUID()];
  const first = await runClient(machine, keyed, { env });
  // As on a machine that has lost its disk.
  const second = await runClient(machine, keyed, {
    env: { ...env, XDG_CONFIG_HOME: path.join(machine.home, 'other') },
  });
  expect(JSON.parse(second.stdout)).toEqual(JSON.parse(first.stdout));
  expect(await balanceOf(account, 'base')).toBe(startAtomic - 15_000n);
});

test('one command at the same time in two processes is one call', async ({ machine }) => {
  const { account, env } = await newClientWallet(startAtomic);
  const rule = machine.proxy.on(paid, 'hold-answer');
  const first = startClient(machine, command, { env });
  await rule.happened;
  const second = await runClient(machine, command, { env });
  expect(second.code).toBe(0);
  first.child.kill('SIGKILL');
  await first.done;
  expect(new Set(machine.proxy.payments).size).toBe(1);
  expect(await balanceOf(account, 'base')).toBe(startAtomic - 5_000n);
});

test('a call above the cap of the day or the limit of the command is not sent', async ({ machine }) => {
  const { account, env } = await newClientWallet(startAtomic);
  const capped = { ...env, TUPPENCE_SPENDING_CAP: '0.008' };
  expect(await runClient(machine, command, { env: capped })).toMatchObject({ code: 0 });
  const requests = machine.proxy.requests.length;
  const above = await runClient(machine, command, { env: capped });
  expect(above.code).toBe(3);
  expect(JSON.parse(above.stdout).error).toMatchObject({ code: 'spending_cap_reached', payment: 'none' });
  const limited = await runClient(machine, [...command, '--max-cost', '0.004'], { env });
  expect(limited.code).toBe(3);
  expect(JSON.parse(limited.stdout).error).toMatchObject({ code: 'price_above_limit', payment: 'none' });
  expect(machine.proxy.requests.length).toBe(requests);
  expect(await balanceOf(account, 'base')).toBe(startAtomic - 5_000n);
  expect(await runClient(machine, [...command, '--max-cost', '0.005'], { env })).toMatchObject({ code: 0 });
});

test('a payment counts toward the cap once it is signed, even if the service says that it refused it', async ({
  machine,
}) => {
  const { env } = await newClientWallet(startAtomic);
  const capped = { ...env, TUPPENCE_SPENDING_CAP: '0.008' };
  machine.proxy.on(paid, await terms402(machine), 10);
  const refused = await runClient(machine, command, { env: capped });
  expect(refused.code).toBe(3);
  expect(JSON.parse(refused.stdout).error).toMatchObject({ code: 'payment_refused' });
  const again = await runClient(machine, command, { env: capped });
  expect(again.code).toBe(3);
  expect(JSON.parse(again.stdout).error).toMatchObject({ code: 'spending_cap_reached', payment: 'none' });
  expect(JSON.parse(again.stdout).error.message).toContain('0.005 of the 0.008 USDC spending cap');
  expect(new Set(machine.proxy.payments).size).toBe(1);
});

test('a payment that is charged counts toward the cap once', async ({ machine }) => {
  const { account, env } = await newClientWallet(startAtomic);
  const capped = { ...env, TUPPENCE_SPENDING_CAP: '0.01' };
  machine.proxy.on(paid, 'lose-answer');
  expect(await runClient(machine, command, { env: capped })).toMatchObject({ code: 0 });
  expect(await runClient(machine, command, { env: capped })).toMatchObject({ code: 0 });
  expect((await runClient(machine, command, { env: capped })).code).toBe(3);
  expect(await balanceOf(account, 'base')).toBe(startAtomic - 10_000n);
});

test('a command that goes on signs no new payment above the cap', async ({ machine }) => {
  const { account, env } = await newClientWallet(startAtomic);
  await leaveExpiredPayment(machine, env);
  const capped = { ...env, TUPPENCE_SPENDING_CAP: '0.008' };
  const above = await runClient(machine, command, { env: capped });
  expect(above.code).toBe(5);
  expect(JSON.parse(above.stdout).error).toMatchObject({ code: 'spending_cap_reached', payment: 'unknown' });
  expect(await balanceOf(account, 'base')).toBe(startAtomic);
  expect(await runClient(machine, command, { env })).toMatchObject({ code: 0 });
  expect(await balanceOf(account, 'base')).toBe(startAtomic - 5_000n);
});

test('no payment is signed that stays valid for longer than ten minutes', async ({ machine }) => {
  const { account, env } = await newClientWallet(startAtomic);
  for (const maxTimeoutSeconds of [9e11, 601]) {
    machine.proxy.on(unpaid, await terms402(machine, { maxTimeoutSeconds }));
    const { code, stdout } = await runClient(machine, command, { env });
    expect(code).toBe(3);
    const { error } = JSON.parse(stdout);
    expect(error).toMatchObject({ code: 'lifetime_above_limit', payment: 'none', retry: 'stop' });
    expect(error.message).toContain(`valid for ${maxTimeoutSeconds} seconds`);
  }
  expect(machine.proxy.payments).toEqual([]);
  expect((await machine.state()).openCalls).toEqual({});
  expect(await runClient(machine, command, { env })).toMatchObject({ code: 0 });
  expect(await balanceOf(account, 'base')).toBe(startAtomic - 5_000n);
});

test('nothing is signed for a service that asks for more than the price, or for a network that it does not offer', async ({
  machine,
}) => {
  const { account, env } = await newClientWallet(startAtomic);
  machine.proxy.on(unpaid, await terms402(machine, { amount: '5001' }));
  const above = await runClient(machine, command, { env });
  expect(above.code).toBe(3);
  expect(JSON.parse(above.stdout).error).toMatchObject({ code: 'price_above_limit', payment: 'none' });
  expect(JSON.parse(above.stdout).error.message).toContain('asks for 0.005001 USDC');

  // Nor does it pay with a token that is not USDC.
  machine.proxy.on(unpaid, await terms402(machine, { asset: `0x${'12'.repeat(20)}` }));
  const inOther = await runClient(machine, command, { env });
  expect(inOther.code).toBe(1);

  const elsewhere = await runClient(machine, command, { env: { ...env, TUPPENCE_NETWORK: 'eip155:1' } });
  expect(elsewhere.code).toBe(1);
  expect(JSON.parse(elsewhere.stdout).error).toMatchObject({ code: 'payment_not_offered', payment: 'none' });
  expect(machine.proxy.payments).toEqual([]);
  expect((await machine.state()).openCalls).toEqual({});
  expect(await balanceOf(account, 'base')).toBe(startAtomic);
});

test('a wallet that holds too little is told so, and nothing stays open', async ({ machine }) => {
  const { account, env } = await newClientWallet(4_999n);
  const { code, stderr } = await runClient(machine, ['upload', 'note.txt'], { env });
  expect(code).toBe(3);
  expect(stderr).toContain(`payment_refused: The wallet ${account.address} holds too little USDC`);
  expect(stderr).toContain('Nothing was charged.');
  expect((await machine.state()).openCalls).toEqual({});
});

test('an unreachable service charges nothing, leaves nothing open and exits with 4', async ({ machine }) => {
  const { env } = await newClientWallet(startAtomic);
  machine.proxy.on(unpaid, {
    status: 503,
    body: { error: { code: 'service_unavailable', message: 'Not now.', payment: 'none', retry: 'later' } },
  });
  expect((await runClient(machine, command, { env })).code).toBe(4);
  expect((await machine.state()).openCalls).toEqual({});
});
