import { expect, test } from '@playwright/test';
import { Deadline } from '@/lib/platform/concurrency/deadline';
import { type VirtualClock, VirtualTime } from '../simulation/virtual-clock';

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
