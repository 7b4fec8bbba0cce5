import { expect, test } from '@playwright/test';
import { BrowserPool, type PooledBrowser } from '@/lib/chromium/pool';
import { someone } from '../support/clients';
import { testPlatform } from '../support/platform';

/** A pool whose browsers come up as the test says. */
function poolOf(launch: (isolation: string) => Promise<PooledBrowser>) {
  const platform = testPlatform();
  const { timings } = platform;
  return new BrowserPool(
    { ...platform, timings: { ...timings, browsers: { ...timings.browsers, retryLaunchMs: 0 } } },
    { size: 1, waitingMax: 10, chromiumPath: process.execPath },
    {
      name: 'a test',
      network: 'host',
      needsSandbox: false,
      workTimeoutMs: 5_000,
      waitTimeoutMs: 5_000,
      launch: ({ isolation }) => launch(isolation.name),
      tryOut: async () => undefined,
    },
  );
}

class Fake implements PooledBrowser {
  isAlive = true;
  used = 0;
  async end(): Promise<void> {
    this.isAlive = false;
  }
}

test('no weaker isolation is tried once one has worked', async () => {
  const tried: string[] = [];
  let works = true;
  const pool = poolOf(async (isolation) => {
    tried.push(isolation);
    if (!works) throw new Error('it does not come up');
    return new Fake();
  });
  expect(await pool.isReady()).toBe(true);
  const [strongest] = tried;
  const run = () =>
    pool.run(someone, async (browser) => {
      await browser.end();
      return 'done';
    });
  works = false;
  // The browser that there is ends, and no other comes up.
  expect(await run()).toEqual({ kind: 'done', value: 'done' });
  await run();
  await run();
  works = true;
  await expect.poll(async () => (await run()).kind, { timeout: 20_000 }).toBe('done');
  expect(new Set(tried)).toEqual(new Set([strongest]));
  await pool.close();
});

test('a browser that comes up while its pool is closed is ended', async () => {
  const browser = new Fake();
  let comeUp = (_: Fake) => {};
  const comingUp = new Promise<Fake>((resolve) => {
    comeUp = resolve;
  });
  let isStarting = false;
  const pool = poolOf(() => {
    isStarting = true;
    return comingUp;
  });
  const running = pool.run(someone, async () => 'done');
  await expect.poll(() => isStarting).toBe(true);
  const closed = pool.close();
  comeUp(browser);
  await closed;
  expect(browser.isAlive).toBe(false);
  expect(await running).toEqual({ kind: 'absent' });
});
