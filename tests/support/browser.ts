import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, test as base, chromium } from '@playwright/test';
import sparticuz from '@sparticuz/chromium';

/** Playwright's own test with a browser that needs no download: the Chromium of an npm package, unpacked once a worker. */
export const test = base.extend<object, { browser: Browser }>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-chromium-'));
      const before = process.env.TMPDIR;
      // The package unpacks to the folder for temporary files; what is put there has to go again.
      process.env.TMPDIR = folder;
      const executablePath = await sparticuz.executablePath();
      // Not the package's own arguments: they are for functions in the cloud and switch web security off.
      const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
      await use(browser);
      await browser.close();
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      await rm(folder, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
});
