import net from 'node:net';
import type { Clock } from '@/lib/platform/clock';
import { CircuitBreakers, type Target } from '@/lib/platform/upstream/circuit-breakers';
import { type FailureKind, UpstreamFailure } from '@/lib/platform/upstream/failure';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const search: Target = { provider: 'exa', operation: 'neural.search' };
const answer: Target = { provider: 'exa', operation: 'neural.answer' };
const other: Target = { provider: 'serper', operation: 'serp.search' };

let nowMs: number;
let breakers: CircuitBreakers;

function open(settings: Readonly<Record<string, string>> = {}) {
  nowMs = 1_000;
  const clock = { now: () => nowMs, monotonic: () => nowMs, date: () => new Date(nowMs) } as Clock;
  breakers = new CircuitBreakers(testPlatform(settings, clock));
}
test.beforeEach(() => open());

const failing = (kind: FailureKind, details: ConstructorParameters<typeof UpstreamFailure>[2] = {}) =>
  Promise.reject(new UpstreamFailure(kind, 'a_test', details));
const fail = (target: Target, ...failure: Parameters<typeof failing>) =>
  breakers.attempt(target, () => failing(...failure)).catch(() => undefined);
const succeed = (target: Target) => breakers.attempt(target, async () => 'done');

/** Whether a call would be refused before it is charged. */
function isRefused(target: Target): boolean {
  try {
    breakers.refuseWhileOpen(target);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'provider_unavailable', status: 503, payment: 'none' });
    return true;
  }
}

test("an operation that fails three times in a row is refused, and the provider's others are not", async () => {
  for (const kind of ['failed', 'failed'] as const) await fail(search, kind);
  expect(isRefused(search)).toBe(false);
  await fail(search, 'failed');
  expect([search, answer, other].map(isRefused)).toEqual([true, false, false]);
});

test('a success in between begins the count again', async () => {
  for (let round = 0; round < 3; round += 1) {
    await fail(search, 'failed');
    await fail(search, 'failed');
    await succeed(search);
  }
  expect(isRefused(search)).toBe(false);
});

test('a rejected request shows that the provider answers, so it counts as a success', async () => {
  for (const kind of ['failed', 'failed', 'rejected', 'failed', 'failed'] as const) await fail(search, kind);
  expect(isRefused(search)).toBe(false);
});

test('a failure that a caller chose does not refuse the calls of others', async () => {
  for (let times = 0; times < 10; times += 1) {
    await fail(search, 'failed', { isOfRequest: true });
    await fail(search, 'plan', { isOfRequest: true });
  }
  expect(isRefused(search)).toBe(false);
});

test('a plan that lacks an operation, or an API that changed, refuses this operation at once and no other', async () => {
  for (const kind of ['plan', 'incompatible'] as const) {
    open();
    await fail(search, kind);
    expect([search, answer].map(isRefused), kind).toEqual([true, false]);
  }
});

test('no connection, our account and our rate limit refuse every operation of the provider at once', async () => {
  for (const kind of ['unreachable', 'account', 'limited'] as const) {
    open();
    await fail(search, kind);
    expect([search, answer, other].map(isRefused), kind).toEqual([true, true, false]);
  }
});

test('after a while one call at a time is tried: a failure refuses for longer, a success ends it', async () => {
  for (let times = 0; times < 3; times += 1) await fail(search, 'failed');
  const halfOpenAfter = (seconds: number) => {
    nowMs += seconds * 1_000 - 1;
    expect(isRefused(search)).toBe(true);
    nowMs += 1;
    expect(breakers.isHalfOpen(search)).toBe(true);
    expect(isRefused(search)).toBe(false);
  };
  halfOpenAfter(30);
  let end = () => {};
  const trying = breakers.attempt(search, () => new Promise<void>((resolve) => (end = resolve)));
  expect(isRefused(search)).toBe(true);
  await expect(succeed(search)).rejects.toMatchObject({
    kind: 'unreachable',
    reason: 'circuit_breaker_open',
  });
  end();
  await trying;
  expect([breakers.isClosed(search), isRefused(search)]).toEqual([true, false]);

  for (let times = 0; times < 3; times += 1) await fail(search, 'failed');
  for (const seconds of [30, 60, 120, 240, 300, 300]) {
    halfOpenAfter(seconds);
    await fail(search, 'failed');
  }
});

test('calls that were under way when the breaker opened do not keep it open for longer', async () => {
  await Promise.all(Array.from({ length: 30 }, () => fail(search, 'failed')));
  nowMs += 30_000;
  expect(breakers.isHalfOpen(search)).toBe(true);
});

test('a provider without a connection is found out before the charge, and asked again when it is there', async () => {
  const server = net.createServer();
  const listen = (port: number) =>
    new Promise<number>((resolve) =>
      server.listen(port, '127.0.0.1', () => resolve((server.address() as net.AddressInfo).port)),
    );
  const close = () => new Promise((resolve) => server.close(resolve));
  const port = await listen(0);
  for (const scheme of ['http', 'https']) {
    open({ EXA_API_KEY: 'sandbox_exa', EXA_BASE_URL: `${scheme}://127.0.0.1:${port}` });
    await close();
    await expect(breakers.checkConnection(search)).rejects.toMatchObject({ kind: 'unreachable' });
    expect([search, answer].map(isRefused), scheme).toEqual([true, true]);
    nowMs += 5_000;
    expect(breakers.isHalfOpen(search), 'a whole call tries it').toBe(true);
    await succeed(search);
    await listen(port);
  }
  open({ EXA_API_KEY: 'sandbox_exa', EXA_BASE_URL: `http://127.0.0.1:${port}` });
  await breakers.checkConnection(search);
  await close();
  await breakers.checkConnection(search);
  nowMs += 2_001;
  await expect(breakers.checkConnection(search)).rejects.toMatchObject({ kind: 'unreachable' });
});
