import { randomNumbers } from '../support/random';
import { expect, test } from '../support/without-browser';
import { type TimeOptions, VirtualTime } from './virtual-clock';

const minuteMs = 60_000;

test('time passes only when nothing else can run', async () => {
  const time = new VirtualTime();
  const clock = time.createClock();
  const startedAt = clock.now();
  const seen: number[] = [];
  const work = async () => {
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    // Others of the same moment are waited for like this.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    seen.push(clock.now() - startedAt);
    await clock.sleep(250);
    seen.push(clock.now() - startedAt);
  };
  void work();
  clock.after(1, () => seen.push(-1));
  await time.runUntilIdle(minuteMs);
  expect(seen).toEqual([0, -1, 250]);
});

test('timers run in order of time, and at one moment in order of creation', async () => {
  const time = new VirtualTime();
  const [one, other] = [time.createClock(), time.createClock(5_000)];
  const ran: string[] = [];
  one.after(20, () => ran.push('late'));
  other.after(10, () => ran.push('first'));
  one.after(10, () => {
    ran.push('second');
    // What a timer starts is finished before the next timer of the same moment.
    void Promise.resolve().then(() => ran.push('second, later'));
  });
  other.after(10, () => ran.push('third'));
  one.after(10, () => ran.push('canceled'))();
  await time.pass(10);
  expect(ran).toEqual(['first', 'second', 'second, later', 'third']);
  await time.pass(10);
  expect(ran.at(-1)).toBe('late');
});

test('a seed decides the order of timers at one moment, and never that of others', async () => {
  const orderOf = async (options: TimeOptions) => {
    const time = new VirtualTime(options);
    const clock = time.createClock();
    const ran: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      clock.after(index < 8 ? 10 : 20, () => ran.push(index));
    }
    await time.runUntilIdle(minuteMs);
    return ran;
  };
  const inOrder = await orderOf({});
  const seeded = await orderOf({ random: randomNumbers(1) });
  expect(inOrder).toEqual([...inOrder].sort((one, other) => one - other));
  expect(await orderOf({ random: randomNumbers(1) })).toEqual(seeded);
  expect(await orderOf({ random: randomNumbers(2) })).not.toEqual(seeded);
  expect(seeded).not.toEqual(inOrder);
  expect(new Set(seeded.slice(8))).toEqual(new Set([8, 9, 10, 11]));
});

test('a machine whose time is set still measures durations', async () => {
  const time = new VirtualTime({ startMs: 1_000_000 });
  const [right, wrong] = [time.createClock(), time.createClock(7_000)];
  expect(wrong.now() - right.now()).toBe(7_000);
  const began = wrong.monotonic();
  wrong.jump(-60_000);
  let woke = 0;
  void wrong.sleep(500).then(() => {
    woke = time.nowMs;
  });
  await time.pass(1_000);
  expect(wrong.now()).toBe(1_000_000 + 1_000 + 7_000 - 60_000);
  expect(wrong.date()).toEqual(new Date(wrong.now()));
  expect(wrong.monotonic() - began).toBe(1_000);
  expect(woke).toBe(1_000_500);
  expect(right.now()).toBe(1_001_000);
});

test('the timers and sleeps of a killed process never end', async () => {
  const time = new VirtualTime();
  const [killed, other] = [time.createClock(), time.createClock()];
  const ran: string[] = [];
  const work = async (clock: typeof killed, name: string) => {
    for (;;) {
      await clock.sleep(100);
      ran.push(name);
    }
  };
  void work(killed, 'killed');
  void work(other, 'other');
  killed.after(150, () => ran.push('killed'));
  await time.pass(100);
  expect(ran).toEqual(['killed', 'other']);
  killed.kill();
  killed.after(1, () => ran.push('killed'));
  await time.pass(200);
  expect(ran).toEqual(['killed', 'other', 'other', 'other']);
});

test('a run ends when its condition is met, and fails when that takes too long', async () => {
  const time = new VirtualTime();
  const clock = time.createClock();
  const startedAt = time.nowMs;
  expect(
    await time.finish(
      clock.sleep(300).then(() => 'done'),
      minuteMs,
    ),
  ).toBe('done');
  expect(time.nowMs - startedAt).toBe(300);
  const failing = clock.sleep(10).then(() => Promise.reject(new Error('no luck')));
  await expect(time.finish(failing, minuteMs)).rejects.toThrow('no luck');
  let ticks = 0;
  const tick = () => {
    ticks += 1;
    clock.after(1_000, tick);
  };
  tick();
  await time.runUntil(() => ticks === 5, minuteMs);
  await expect(time.runUntil(() => ticks === 100, minuteMs)).rejects.toThrow('not met within 60000 ms');
  await expect(time.runUntilIdle(minuteMs)).rejects.toThrow('1 timers are left');
});

test('an error in a timer ends the run', async () => {
  const time = new VirtualTime();
  time.createClock().after(10, () => {
    throw new Error('the program is wrong');
  });
  await expect(time.pass(20)).rejects.toThrow('the program is wrong');
  await time.pass(20);
});

test('timers without delay take a millisecond, and ones that a machine cannot wait for are refused', async () => {
  const time = new VirtualTime();
  const clock = time.createClock();
  const startedAt = time.nowMs;
  for (const ms of [0, -5, 0.3, Number.NaN]) await time.finish(clock.sleep(ms), minuteMs);
  expect(time.nowMs - startedAt).toBe(4);
  expect(() => clock.after(2 ** 31, () => undefined)).toThrow('runs at once on a real machine');
});
