import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { freeCases } from '@/packages/seller-check/free/cases';
import { UnpaidSeller } from '@/packages/seller-check/free/seller';
import { paidCases } from '@/packages/seller-check/paid/cases';
import { type SellerStart, startRig } from '@/packages/seller-check/paid/rig';
import { runPaidCases } from '@/packages/seller-check/paid/run';
import { type CaseResult, runCases } from '@/packages/seller-check/run-cases';
import { expressSeller, nextWrapper } from '../support/full-tier-packages';
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

/**
 * Runs every case against a seller.
 * @param failedWithoutMoney the cases without money that it is known to fail
 * @returns the results of the cases that pay
 */
async function check(seller: SellerStart, failedWithoutMoney: readonly string[] = []): Promise<CaseResult[]> {
  const rig = await startRig();
  try {
    const around = await rig.start(seller);
    const { baseUrl, path: called, method, body } = around.target;
    const call = { url: new URL(called, baseUrl), method, headers: [], body };
    const free = await runCases(freeCases, new UnpaidSeller(call));
    expect(withResult(free, 'error')).toEqual([]);
    expect(withResult(free, 'fail').map(([id]) => id)).toEqual(failedWithoutMoney);
    return await runPaidCases(paidCases, around);
  } finally {
    await rig.close();
  }
}

/** The IDs of cases with a result, and why, shortened. */
const withResult = (results: readonly CaseResult[], result: CaseResult['finding']['result']) =>
  results
    .filter(({ finding }) => finding.result === result)
    .map(({ id, finding }) => [id, 'detail' in finding ? finding.detail.split('\n')[0] : '']);

/** Where money has moved although the answer to the settlement was lost, the official code answers 402. */
const failedByOfficialCode = [
  'facilitator.settle-answer-lost',
  'facilitator.settle-answer-500',
  'facilitator.settle-answer-nonsense',
  'restart.after-submission',
  'node.submission-answer-lost',
  'node.submission-answer-500',
  'node.submission-answer-nonsense',
  'node.submission-answer-hangs',
  'node.submission-claims-failure',
  'node.receipt-missing',
];

/** MPP and an extension, which the official code for x402 does not offer by itself, and what x402 says nothing about. */
const saysNothingAboutOfficialCode = (id: string) =>
  /^[a-z-]+\.(mpp|identifier|other-protocol)/.test(id) || others.includes(id);

const others = [
  'repeats.x402-lost-answer',
  'paid.failed-service-receipt',
  'authorization.submitted-by-another',
  'reorganization.after-delivery',
];

function expectOfficialResults(results: readonly CaseResult[]): void {
  const ids = (result: CaseResult['finding']['result']) => withResult(results, result).map(([id]) => id);
  expect(withResult(results, 'error')).toEqual([]);
  expect(ids('fail').toSorted()).toEqual(failedByOfficialCode.toSorted());
  expect(ids('not applicable')).toEqual(
    results.map(({ id }) => id).filter((id) => saysNothingAboutOfficialCode(id)),
  );
}

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
    // It has one call, whose service does not fail, and submits payments itself.
    const expected = /^facilitator\.|other-path|failed-service|submitted-by-another/;
    const notApplicable = withResult(results, 'not applicable').map(([id = '']) => id);
    expect(notApplicable.filter((id) => !expected.test(id))).toEqual([]);
  } finally {
    await database.drop();
  }
});

test('the official middleware for Express keeps every rule but those about a lost settlement answer and a second Host', async () => {
  const results = await check(
    {
      command: [process.execPath, expressSeller.program],
      target: { ...bodies, mppPath: '/words', otherPath: '/letters' },
    },
    ['message.two-hosts'],
  );
  expectOfficialResults(results);
});

test('the official wrapper for Next.js keeps every rule but those about a lost settlement answer, a second Host and Allow', async () => {
  const folder = test.info().outputPath('app');
  await cp('tests/support/sellers/next', folder, { recursive: true });
  await mkdir(path.join(folder, 'node_modules/@x402'), { recursive: true });
  for (const name of ['next', 'react', 'react-dom', '@x402/core', '@x402/evm'])
    await symlink(path.resolve('node_modules', name), path.join(folder, 'node_modules', name));
  await symlink(nextWrapper, path.join(folder, 'node_modules/@x402/next'));
  const next = path.join(folder, 'node_modules/next/dist/bin/next');
  // Turbopack does not follow links out of the folder. The wrapper reads its settings when the build loads it.
  const env = {
    ...process.env,
    NEXT_TELEMETRY_DISABLED: '1',
    FACILITATOR_URL: 'http://127.0.0.1:9',
    PAY_TO: '',
  };
  await run(process.execPath, [next, 'build', '--webpack'], { cwd: folder, env, timeout: 300_000 });
  const results = await check(
    {
      command: [process.execPath, next, 'start', '--hostname', '127.0.0.1'],
      folder,
      target: { ...bodies, mppPath: '/words', otherPath: '/letters' },
    },
    ['request.method-not-allowed', 'message.two-hosts'],
  );
  expectOfficialResults(results);
});
