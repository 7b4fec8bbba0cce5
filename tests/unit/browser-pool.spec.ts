import { BrowserPool, type PooledBrowser } from '@/lib/platform/chromium/browser-pool';
import { isolationsFor } from '@/lib/platform/chromium/isolation';
import { someone } from '../support/clients';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

/** How often a condition is looked at. */
const often = { intervals: [10] };

/** A pool whose browsers start as the test decides. */
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
  expect(await pool.readiness()).toBe('ready');
  const [strongest] = tried;
  const run = () =>
    pool.run(someone, async (browser) => {
      await browser.end();
      return 'done';
    });
  works = false;
  // The running browser ends, and no other one starts.
  expect(await run()).toEqual({ kind: 'done', value: 'done' });
  await run();
  await run();
  works = true;
  await expect.poll(async () => (await run()).kind, { timeout: 20_000, ...often }).toBe('done');
  expect(new Set(tried)).toEqual(new Set([strongest]));
  await pool.close();
});

const isolations = isolationsFor(process.execPath, { network: 'host', needsSandbox: false }).length;

test('a browser that ends while it starts is started again at once', async () => {
  let launches = 0;
  const pool = poolOf(async () => {
    launches += 1;
    if (launches <= isolations) throw new Error('ended by the host');
    return new Fake();
  });
  expect(await pool.readiness()).toBe('ready');
  expect([launches, pool.isFailing]).toEqual([isolations + 1, false]);
  await pool.close();
});

test('a browser that does not start is failing, not absent, and starts by itself later', async () => {
  let works = false;
  const pool = poolOf(async () => {
    if (!works) throw new Error('no memory');
    return new Fake();
  });
  expect([await pool.readiness(), pool.isFailing]).toEqual(['failing', true]);
  expect(pool.retryAfterSeconds).toBe(1);
  expect(await pool.run(someone, async () => 'done')).toEqual({ kind: 'failing' });
  works = true;
  await expect.poll(() => pool.isFailing, often).toBe(false);
  expect(await pool.run(someone, async () => 'done')).toEqual({ kind: 'done', value: 'done' });
  await pool.close();
});

test('isolations of a host have names of their own', () => {
  for (const network of ['none', 'host'] as const) {
    const names = isolationsFor(process.execPath, { network, needsSandbox: false }).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  }
});

test('a pool is closed when every browser has ended that was coming up', async () => {
  const coming: { readonly browser: Fake; readonly comeUp: () => void }[] = [];
  let isSlow = false;
  const pool = poolOf(async () => {
    const browser = new Fake();
    if (isSlow) await new Promise<void>((comeUp) => coming.push({ browser, comeUp }));
    return browser;
  });
  await pool.readiness();
  await pool.run(someone, async (browser) => {
    isSlow = true;
    await browser.end();
  });
  // One browser is starting in place of the one that ended, another for this document.
  const running = pool.run(someone, async () => 'done');
  await expect.poll(() => coming.length, often).toBe(2);
  let isClosed = false;
  const closed = pool.close().then(() => {
    isClosed = true;
  });
  for (const { browser, comeUp } of coming) {
    expect(isClosed).toBe(false);
    comeUp();
    await expect.poll(() => browser.isAlive, often).toBe(false);
  }
  await closed;
  expect(await running).toEqual({ kind: 'absent' });
});

test('the first browser of a pool is ended when it comes up after the pool was closed', async () => {
  const browser = new Fake();
  let comeUp: (() => void) | undefined;
  const pool = poolOf(async () => {
    await new Promise<void>((resolve) => {
      comeUp = resolve;
    });
    return browser;
  });
  const running = pool.run(someone, async () => 'done');
  await expect.poll(() => comeUp !== undefined, often).toBe(true);
  const closed = pool.close();
  comeUp?.();
  await closed;
  expect(browser.isAlive).toBe(false);
  expect(await running).toEqual({ kind: 'absent' });
});
