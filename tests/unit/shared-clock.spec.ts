import { systemClock } from '@/lib/platform/clock';
import { shareClock } from '@/lib/platform/shared-clock';
import { expect, test } from '../support/without-browser';

/** A machine whose time is set by the test. */
function machine() {
  const at = { now: 5_000_000, monotonic: 1_000 };
  const clock = shareClock({ ...systemClock, now: () => at.now, monotonic: () => at.monotonic });
  return { at, clock };
}

test('until the database has told its time, it is the machine’s', () => {
  const { at, clock } = machine();
  expect(clock.now()).toBe(5_000_000);
  at.now += 60_000;
  expect(clock.date()).toEqual(new Date(5_060_000));
});

test('then it goes on evenly, whatever the machine’s time is set to', () => {
  const { at, clock } = machine();
  clock.follow(9_000_000, 1_000);
  expect(clock.now()).toBe(9_000_000);
  at.now -= 600_000;
  at.monotonic += 250;
  expect(clock.now()).toBe(9_000_250);
  expect(clock.date()).toEqual(new Date(9_000_250));
});

test('an answer that took long does not move it while it may be right', () => {
  const { at, clock } = machine();
  clock.follow(9_000_000, 1_000);
  at.monotonic += 8_000;
  // Read 3 s after the request was sent, and 5 s before the answer arrived.
  clock.follow(9_003_000, 1_000);
  expect(clock.now()).toBe(9_008_000);
});

test('when the database’s own time is set, it follows', () => {
  const { at, clock } = machine();
  clock.follow(9_000_000, 1_000);
  at.monotonic += 2_000;
  clock.follow(9_602_000, 3_000);
  expect(clock.now()).toBe(9_602_000);
  at.monotonic += 2_000;
  clock.follow(9_004_000, 5_000);
  expect(clock.now()).toBe(9_004_000);
});
