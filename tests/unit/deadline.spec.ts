import { stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '@/lib/platform/clock';
import { Deadline } from '@/lib/platform/concurrency/deadline';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { type VirtualClock, VirtualTime } from '../simulation/virtual-clock';
import { expect, test } from '../support/without-browser';

/** How long something waits until it counts as late. */
async function waited(clock: VirtualClock, work: Promise<'late'>): Promise<number> {
  const startedAt = clock.monotonic();
  let isOver = false;
  void work.then(() => {
    isOver = true;
  });
  while (!isOver) await clock.time.pass(10);
  return clock.monotonic() - startedAt;
}

const never = () => new Promise<'late'>(() => undefined);

test('all work for one caller shares what is left until its deadline', async () => {
  const clock = new VirtualTime().createClock();
  const deadline = new Deadline(clock, 1_000);
  await clock.time.pass(300);
  expect(await waited(clock, deadline.within(never(), 'late', { spareMs: 200 }))).toBe(500);
  expect(await waited(clock, deadline.within(never(), 'late'))).toBe(200);
  expect(await waited(clock, deadline.within(never(), 'late', { leastMs: 400 }))).toBe(400);
});

test('work that a deadline does not limit moves it', async () => {
  const clock = new VirtualTime().createClock();
  const deadline = new Deadline(clock, 1_000);
  await clock.time.pass(5_000);
  deadline.extend(5_000);
  expect(deadline.leftMs).toBe(1_000);
  expect(await deadline.within(Promise.resolve('done'), 'late')).toBe('done');
});

/** Keeps this process from reading anything for a while. */
function beBusy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('work that ended in time counts, even if the process was too busy to notice before the limit', async () => {
  for (const limitMs of [20, 150]) {
    // Timers are next, before anything is read.
    await nextTurn();
    const finding = inTime(systemClock, stat('package.json'), limitMs, 'late');
    const deadline = new Deadline(systemClock, limitMs);
    const findingInAll = deadline.within(stat('package.json'), 'late');
    beBusy(300);
    expect(await finding).not.toBe('late');
    expect(await findingInAll).not.toBe('late');
  }
});

test('a wait that ends in the last moments of its limit leaves no timer behind', async () => {
  const time = new VirtualTime();
  let release = () => {};
  const work = new Promise<'done'>((resolve) => {
    release = () => resolve('done');
  });
  const finding = inTime(time.createClock(), work, 1_000, 'late');
  await time.pass(950);
  release();
  expect(await finding).toBe('done');
  await time.runUntilIdle(0);
});
