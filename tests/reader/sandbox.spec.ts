import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isolationsFor } from '@/lib/platform/chromium/isolation';
import { openReadingPool } from '@/lib/services/research/reader/reading-pool';
import { someone } from '../support/clients';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';
import { startSite } from './pages-server';
import { asking, dataOf, readerOf } from './reading';

test.skip(process.platform !== 'linux', 'browsers are isolated on Linux');

/** The switches of every attempt to start a browser, while this reader tries to read and no browser starts. */
async function switchesTried(settings: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-sandbox-'));
  const [program, tried] = [path.join(folder, 'chromium'), path.join(folder, 'tried')];
  try {
    // Another user runs the browser.
    await chmod(folder, 0o755);
    await writeFile(tried, '');
    await chmod(tried, 0o666);
    await writeFile(program, `#!/bin/sh\necho "$*" >> '${tried}'\nexit 1\n`);
    await chmod(program, 0o755);
    const reader = openReadingPool(testPlatform({ ...settings, CHROMIUM_PATH: program }));
    expect(await reader.read(someone, asking('http://www.example.com/'))).toEqual({ kind: 'failing' });
    expect(await reader.readiness()).toBe('failing');
    await reader.close();
    return (await readFile(tried, 'utf8')).trim().split('\n');
  } finally {
    await rm(folder, { recursive: true });
  }
}

const isWithoutSandbox = (switches: string) => switches.includes('--no-sandbox');

test("the reader never starts a browser without Chromium's sandbox, and reads nothing where the sandbox does not start", async () => {
  expect((await switchesTried({})).filter(isWithoutSandbox)).toEqual([]);
});

test("with READER_WITHOUT_SANDBOX the reader tries a browser without Chromium's sandbox, last", async () => {
  const twice = await switchesTried({ READER_WITHOUT_SANDBOX: 'true' });
  const tried = twice.slice(twice.length / 2);
  expect(twice.slice(0, twice.length / 2).map(isWithoutSandbox)).toEqual(tried.map(isWithoutSandbox));
  expect(tried.map(isWithoutSandbox).indexOf(true)).toBeGreaterThanOrEqual(tried.length - 2);
  expect(isWithoutSandbox(tried.at(-1) ?? '')).toBe(true);
});

test('an isolation says that it has the sandbox exactly when Chromium keeps it', () => {
  const every = isolationsFor(process.execPath, { network: 'host', needsSandbox: false });
  expect(every.map(({ hasSandbox }) => hasSandbox)).toEqual(
    every.map(({ switches }) => !switches.includes('--no-sandbox')),
  );
  expect(isolationsFor(process.execPath, { network: 'host', needsSandbox: true })).toEqual(
    every.filter(({ hasSandbox }) => hasSandbox),
  );
});

test('the reader of these tests has the sandbox', async () => {
  const site = await startSite(() => ({ body: '<p>Read in a sandbox' }));
  const reader = readerOf([site.port]);
  try {
    expect(await reader.hasSandbox()).toBeNull();
    const { markdown } = dataOf(await reader.read(someone, asking(`http://site.test:${site.port}/`)));
    expect(markdown).toBe('Read in a sandbox');
    expect(await reader.hasSandbox()).toBe(true);
  } finally {
    await reader.close();
    await site.close();
  }
});
