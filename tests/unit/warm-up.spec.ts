import { inIdleTime, warmUp } from '@/lib/app/warm-up';
import { Throttle } from '@/lib/http/throttle';
import { productionTimings } from '@/lib/platform/timings';
import { airportsPerStep } from '@/lib/services/airports/airports';
import { findAirports, prepareSearches } from '@/lib/services/airports/find-airports';
import { buildIndex } from '@/lib/services/airports/index-of-names';
import { VirtualTime } from '../simulation/virtual-clock';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const { afterMs, quietWithinMs } = productionTimings.warmUp;

/** A server that has just begun to listen. */
function start(loadFramework = async () => undefined) {
  const clock = new VirtualTime().createClock();
  const platform = testPlatform({}, clock);
  const app = { ...platform, throttle: new Throttle(platform) };
  let loads = 0;
  const warm = warmUp(app, () => {
    loads += 1;
    return loadFramework();
  });
  const done = warm.then(
    () => 'warm',
    (error: Error) => error.message,
  );
  return { throttle: app.throttle, pass: (ms: number) => clock.time.pass(ms), loads: () => loads, done };
}

test('a search while the search for airports is being prepared finds everything', () => {
  const steps = prepareSearches();
  for (let step = 0; step < 500; step += 1) steps.next();
  expect(findAirports('london').length).toBeGreaterThan(5);
  expect(steps.next().done).toBe(true);
});

test('the framework is loaded a while after the start, and nobody who pays waits for it', async () => {
  const { throttle, pass, loads } = start();
  await pass(afterMs - 100);
  expect(loads()).toBe(0);
  const endPaying = throttle.beginPaying();
  await pass(5_000);
  expect(loads()).toBe(0);
  endPaying();
  await pass(1_000);
  expect(loads()).toBe(1);
});

test('the framework is loaded in the end, although somebody pays all the time', async () => {
  const { throttle, pass, loads } = start();
  throttle.beginPaying();
  await pass(afterMs + quietWithinMs + 100);
  expect(loads()).toBe(1);
});

test('a framework that cannot be loaded is reported', async () => {
  const { pass, done } = start(() => Promise.reject(new Error('there is no build')));
  await pass(afterMs + 100);
  expect(await done).toBe('there is no build');
});

test('after a while, the search for airports is prepared, in small steps', async () => {
  expect([...buildIndex()].length).toBeGreaterThan((2 * 8_000) / airportsPerStep);
  const { pass, done } = start();
  await pass(afterMs + 1_000);
  expect(await done).toBe('warm');
  expect(prepareSearches().next().done).toBe(true);
  expect(findAirports('LHR')).toHaveLength(1);
});

test('work in idle time pauses after each slice, and while somebody pays', async () => {
  const clock = new VirtualTime().createClock();
  const platform = testPlatform({}, clock);
  const timings = { ...platform.timings, warmUp: { ...platform.timings.warmUp, sliceMs: 0 } };
  const throttle = new Throttle(platform);
  let steps = 0;
  const work = inIdleTime(
    { ...platform, timings, throttle },
    (function* () {
      for (; steps < 100; steps += 1) yield;
    })(),
  );
  await clock.time.pass(10 * timings.warmUp.pauseMs);
  expect(steps).toBeGreaterThan(5);
  expect(steps).toBeLessThanOrEqual(10);
  const endPaying = throttle.beginPaying();
  const before = steps;
  await clock.time.pass(60_000);
  expect(steps).toBe(before);
  endPaying();
  await clock.time.pass(10_000);
  await work;
  expect(steps).toBe(100);
});
