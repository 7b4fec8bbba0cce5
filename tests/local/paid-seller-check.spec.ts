import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { paidCases } from '@/packages/seller-check/paid/cases';
import { type SellerStart, startRig } from '@/packages/seller-check/paid/rig';
import { runPaidCases } from '@/packages/seller-check/paid/run';
import type { CaseResult } from '@/packages/seller-check/run-cases';
import { expressSeller } from '../support/full-tier-packages';
import { emptyDatabase } from '../support/new-database';
import { installPaywall, othersOf } from '../support/paywall-package';
import { expect, test } from '../support/without-browser';

const run = promisify(execFile);

const bodies = {
  method: 'POST',
  path: '/words',
  body: '{"text":"one two three"}',
  otherBody: '{"text":"one two"}',
  invalidBody: '{"text":5}',
};

/** Runs every case against a seller. */
async function check(seller: SellerStart): Promise<CaseResult[]> {
  const rig = await startRig();
  try {
    return await runPaidCases(paidCases, await rig.start(seller));
  } finally {
    await rig.close();
  }
}

/** The IDs of cases with a result, and why, shortened. */
const withResult = (results: readonly CaseResult[], result: CaseResult['finding']['result']) =>
  results
    .filter(({ finding }) => finding.result === result)
    .map(({ id, finding }) => [id, 'detail' in finding ? finding.detail.split('\n')[0] : '']);

test.describe.configure({ timeout: 600_000 });

test('the example of the paywall for Node keeps every rule', async () => {
  const folder = test.info().outputPath('app');
  await cp('examples/node', folder, { recursive: true });
  const { dependencies } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  await installPaywall(folder, othersOf(dependencies));
  const database = await emptyDatabase();
  try {
    const results = await check({
      command: [process.execPath, 'server.mjs'],
      folder,
      env: { DATABASE_URL: database.url },
      target: { ...bodies, mppPath: '/mpp/words' },
    });
    expect(withResult(results, 'fail')).toEqual([]);
    expect(withResult(results, 'error')).toEqual([]);
    expect(withResult(results, 'not applicable').map(([id]) => id)).toEqual([]);
  } finally {
    await database.drop();
  }
});

test('the official middleware for Express', async () => {
  const results = await check({
    command: [process.execPath, expressSeller],
    target: { ...bodies, mppPath: '/words', otherPath: '/letters' },
  });
  expect(withResult(results, 'error')).toEqual([]);
  expect(withResult(results, 'fail')).toEqual([]);
});

test('the official wrapper for Next.js', async () => {
  const folder = test.info().outputPath('app');
  await cp('tests/support/sellers/next', folder, { recursive: true });
  await mkdir(path.join(folder, 'node_modules/@x402'), { recursive: true });
  for (const name of ['next', 'react', 'react-dom', '@x402/next', '@x402/core', '@x402/evm'])
    await symlink(path.resolve('node_modules', name), path.join(folder, 'node_modules', name));
  const next = path.join(folder, 'node_modules/next/dist/bin/next');
  // Turbopack does not follow links out of the folder. The wrapper reads its settings when the build loads it.
  const env = {
    ...process.env,
    NEXT_TELEMETRY_DISABLED: '1',
    FACILITATOR_URL: 'http://127.0.0.1:9',
    PAY_TO: '',
  };
  await run(process.execPath, [next, 'build', '--webpack'], { cwd: folder, env, timeout: 300_000 });
  const results = await check({
    command: [process.execPath, next, 'start', '--hostname', '127.0.0.1'],
    folder,
    target: { ...bodies, mppPath: '/words', otherPath: '/letters' },
  });
  expect(withResult(results, 'error')).toEqual([]);
  expect(withResult(results, 'fail')).toEqual([]);
});
