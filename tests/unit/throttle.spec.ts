import { Throttle } from '@/lib/http/throttle';
import { systemClock } from '@/lib/platform/clock';
import type { Siblings } from '@/lib/platform/siblings';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

test('without paying requests, free calls start at once', async () => {
  const throttle = new Throttle(testPlatform());
  const never = new Promise(() => undefined);
  expect(await Promise.all([1, 2, 3].map(() => throttle.admitCall(['a'], never)))).toEqual([
    true,
    true,
    true,
  ]);
});

test('without paying requests, no more than four free calls run, and one that waits long makes room', async () => {
  const throttle = new Throttle(testPlatform());
  let begun = 0;
  const never = new Promise(() => undefined);
  const calls = Array.from({ length: 6 }, () => throttle.admitCall(['a'], never).then(() => (begun += 1)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toBe(4);
  await Promise.all(calls);
});

test('free calls still yield for a moment after the last paid request', async () => {
  const throttle = new Throttle(testPlatform());
  throttle.beginPaying()();
  expect(throttle.paying).toBe(0);
  let answered = 0;
  for (let index = 0; index < 100; index += 1) void throttle.admitUnpaid().then(() => (answered += 1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(0);
  await expect.poll(() => answered).toBe(100);
});

test('during paying requests, free calls start one at a time, in turn by address', async () => {
  const throttle = new Throttle(testPlatform());
  const endPaying = throttle.beginPaying();
  const begun: string[] = [];
  let end = () => {};
  const first = new Promise<void>((resolve) => {
    end = resolve;
  });
  const call = (name: string, address: string, done: Promise<unknown>) =>
    throttle.admitCall([address], done).then(() => begun.push(name));
  const calls = [
    call('many 1', 'many', first),
    ...['many 2', 'many 3', 'many 4'].map((name) => call(name, 'many', Promise.resolve())),
    call('one', 'one', Promise.resolve()),
  ];
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['many 1']);
  end();
  await Promise.all(calls);
  expect(begun).toEqual(['many 1', 'one', 'many 2', 'many 3', 'many 4']);
  endPaying();
});

test('unpaid responses take turns while another process has paid requests, and are sent at once after that', async () => {
  let hear = () => {};
  const clock = { ...systemClock, monotonic: () => now };
  const now = 0;
  const throttle = new Throttle(
    testPlatform({}, clock),
    siblings({ onPaying: (listener) => (hear = listener) }),
  );
  const answeredAtOnce = async () => {
    let answered = 0;
    for (let index = 0; index < 100; index += 1) void throttle.admitUnpaid().then(() => (answered += 1));
    await new Promise((resolve) => setImmediate(resolve));
    return answered;
  };
  expect(await answeredAtOnce()).toBe(100);
  hear();
  expect(await answeredAtOnce()).toBeLessThan(100);
});

test('a process tells the others again and again while it has paid requests', async () => {
  let told = 0;
  const timers: (() => void)[] = [];
  const clock = {
    ...systemClock,
    after(_: number, run: () => void) {
      timers.push(run);
      return () => undefined;
    },
  };
  const throttle = new Throttle(testPlatform({}, clock), siblings({ tellPaying: () => (told += 1) }));
  const ends = [throttle.beginPaying(), throttle.beginPaying()];
  expect(told).toBe(1);
  timers.shift()?.();
  expect(told).toBe(2);
  for (const end of ends) end();
  timers.shift()?.();
  expect(told).toBe(2);
});

type Paying = Pick<Siblings, 'tellPaying' | 'onPaying'>;

function siblings(some: Partial<Paying>): Paying {
  return { tellPaying: () => {}, onPaying: () => {}, ...some };
}
