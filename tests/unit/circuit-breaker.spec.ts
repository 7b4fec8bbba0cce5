import { CircuitBreaker } from '@/lib/platform/concurrency/circuit-breaker';
import { expect, test } from '../support/without-browser';

/** A breaker whose probes a test answers, with waits of 1 to 8 seconds. */
function openBreaker() {
  const clock = { ms: 1_000_000, monotonic: () => clock.ms };
  const changes: (string | null)[] = [];
  const probes: { pass(): void; fail(): void }[] = [];
  const waits = { firstMs: 1_000, maxMs: 8_000, steadyMs: 60_000 };
  const breaker = new CircuitBreaker<string>(clock, waits, (cause) => changes.push(cause));
  const probe = () =>
    new Promise<void>((resolve, reject) =>
      probes.push({ pass: resolve, fail: () => reject(new Error('no')) }),
    );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    breaker,
    changes,
    probes,
    open: (cause = 'down') => breaker.open(cause, probe),
    async pass(ms: number) {
      clock.ms += ms;
      breaker.probeIfDue();
      await turn();
    },
    async end(how: 'pass' | 'fail') {
      probes.at(-1)?.[how]();
      await turn();
    },
  };
}

test('an open breaker is probed once at a time, after growing waits up to a limit', async () => {
  const { breaker, open, pass, probes, end } = openBreaker();
  open();
  const waits = [1_000, 2_000, 4_000, 8_000, 8_000];
  for (const [index, wait] of waits.entries()) {
    await pass(wait - 1);
    expect(probes).toHaveLength(index);
    await pass(1);
    await pass(60_000);
    expect(probes).toHaveLength(index + 1);
    await end('fail');
    expect(breaker.cause).toBe('down');
  }
});

test('it closes when a probe passes, and tells each change once', async () => {
  const { breaker, open, pass, end, changes } = openBreaker();
  open();
  open();
  await pass(1_000);
  await end('pass');
  expect(breaker.cause).toBeNull();
  await pass(60_000);
  expect(changes).toEqual(['down', null]);
});

test('a breaker that opens again soon continues with the doubled wait, and a breaker that was steady starts anew', async () => {
  const { open, pass, end, probes } = openBreaker();
  open();
  await pass(1_000);
  await end('pass');
  await pass(10_000);
  open();
  await pass(1_999);
  expect(probes).toHaveLength(1);
  await pass(1);
  await end('pass');
  await pass(60_000);
  open();
  await pass(1_000);
  expect(probes).toHaveLength(3);
});

test('a sign that the cause is over makes the next probe due at once', async () => {
  const { breaker, open, pass, probes } = openBreaker();
  open();
  breaker.expectEnd();
  await pass(0);
  expect(probes).toHaveLength(1);
});
