import { PrintingPool } from '@/lib/services/render/chromium/printing-pool';
import { someone } from '../support/clients';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';
import { browserProcesses } from './browser-processes';
import { legitimate } from './legitimate';

const documents = 1_000;
const killEvery = 50;
const lanes = 2;
const mebibyte = 2 ** 20;

/** Sends kill -9 to the first process of a browser; all its other processes die with it. */
async function killABrowser(): Promise<void> {
  let running: readonly number[] = [];
  while (running.length === 0) ({ running } = await browserProcesses());
  process.kill(Math.min(...running), 'SIGKILL');
}

test('1,000 documents in a row, a browser killed every fifty: every one is printed, and memory comes back', {
  tag: '@sweep',
}, async () => {
  test.skip(process.platform !== 'linux', 'processes are read from /proc');
  test.setTimeout(1_800_000);
  const pool = new PrintingPool(testPlatform(), {
    size: lanes,
    waitingMax: lanes,
    chromiumPath: undefined,
  });
  try {
    const html = Object.values(legitimate).map((document) => document.html);
    const outcomes: Record<string, number> = {};
    let next = 0;
    const work = async (until: number) => {
      while (next < until) {
        const at = next++;
        const printing = pool.print(someone, html[at % html.length] ?? '');
        if (at % killEvery === killEvery - 1) await killABrowser();
        const printed = await printing;
        const outcome = printed.kind === 'failed' ? `failed: ${printed.cause}` : printed.kind;
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: lanes }, () => work(40)));
    const before = { browsers: (await browserProcesses()).memory, own: process.memoryUsage().rss };
    await Promise.all(Array.from({ length: lanes }, () => work(documents)));
    const after = { browsers: (await browserProcesses()).memory, own: process.memoryUsage().rss };
    expect(outcomes).toEqual({ printed: documents });
    expect(after.browsers).toBeLessThan(before.browsers * 1.5 + 100 * mebibyte);
    expect(after.own).toBeLessThan(before.own + 200 * mebibyte);
  } finally {
    await pool.close();
  }
  expect(await browserProcesses()).toEqual({ running: [], zombies: [], memory: 0 });
});
