import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fullOnly, recoveryInDefault, type Tier } from '../support/tiers';
import { expect, test } from '../support/without-browser';

/** Variables through which tests find a stack, a database or a browser that runs already. */
const isOfRun = (name: string) => /^(TUPPENCE|TEST|PW|PLAYWRIGHT)_|_URL$/.test(name);

/** Lists tests, by default all, in a process that no run has prepared, with a folder for whatever it starts. */
async function listTests(
  temporary: string,
  { tier, files = [] }: { tier?: Tier; files?: readonly string[] },
) {
  const inherited = Object.entries(process.env).filter(([name]) => !isOfRun(name));
  const cache = path.join(tmpdir(), `playwright-transform-cache-${process.geteuid?.()}`);
  // What the runner has compiled is where it always is: only to save time.
  const own = { NODE_ENV: 'test' as const, TMPDIR: temporary, PWTEST_CACHE_DIR: cache, TEST_TIER: tier };
  const program = ['node_modules/@playwright/test/cli.js', 'test', '--list', ...files];
  const child = spawn(process.execPath, program, {
    env: { ...Object.fromEntries(inherited), ...own },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [printed, problems, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { lines: printed.trim().split('\n'), problems, code };
}

/** Tests that need something of every kind to run. */
const demanding = ['tests/recovery', 'tests/api/replay', 'tests/pages/site', 'tests/reader/pages'];

test(
  'tests are listed without a build, a database, a chain or a browser, and nothing is started for that',
  fullOnly,
  async () => {
    const temporary = test.info().outputPath('temporary');
    await mkdir(temporary, { recursive: true });
    const { lines, problems, code } = await listTests(temporary, { files: demanding });
    expect({ code, problems, last: lines.at(-1) }).toEqual({
      code: 0,
      problems: '',
      last: expect.stringMatching(/^\d+ tests in \d+ files$/),
    });
    const folders = new Set(lines.slice(0, -1).map((line) => line.split('/')[0]));
    expect([...folders].sort()).toEqual(['api', 'pages', 'reader', 'recovery']);
    // A title in the table of the default tier that no test has would leave its promise without a test there.
    const chosen = recoveryInDefault.map(([file, title]) => `recovery/${file}.spec.ts: ${title}`);
    expect(chosen.filter((line) => !lines.includes(line))).toEqual([]);
    // Databases, chains, servers and browsers have folders there while they run, and many leave some.
    expect(readdirSync(temporary)).toEqual([]);
  },
);

test('every test is in one of the two tiers', fullOnly, async () => {
  test.setTimeout(600_000);
  const temporary = test.info().outputPath('temporary');
  await mkdir(temporary, { recursive: true });
  const lists = [];
  for (const tier of ['default', 'full', undefined] as const) {
    const { lines, problems, code } = await listTests(temporary, { tier });
    expect({ code, problems }).toEqual({ code: 0, problems: '' });
    lists.push(lines.slice(0, -1));
  }
  const [ofDefault = [], ofFull = [], all = []] = lists;
  expect(ofDefault.length).toBeGreaterThan(2_500);
  expect([...ofDefault, ...ofFull].sort()).toEqual(all.sort());
  expect(readdirSync(temporary)).toEqual([]);
});
