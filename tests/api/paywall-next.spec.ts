import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { balanceOf } from '../support/balances';
import { payingFetch } from '../support/buyer';
import { newEvmPayer } from '../support/payers';
import { endPaywall, installPaywall, othersOf, paywallSettings } from '../support/paywall-package';
import { expect, test } from '../support/without-browser';

const run = promisify(execFile);

test('the example for Next.js builds with the package, and the official x402 client buys from it', async () => {
  test.setTimeout(400_000);
  const folder = test.info().outputPath('app');
  await mkdir(folder, { recursive: true });
  await cp('examples/next', folder, { recursive: true });
  const { dependencies } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  await installPaywall(folder, othersOf(dependencies));
  const { payee, env } = await paywallSettings();
  const settings = { cwd: folder, env: { ...process.env, ...env, NEXT_TELEMETRY_DISABLED: '1' } };
  const next = path.join(folder, 'node_modules/next/dist/bin/next');
  // Turbopack does not follow links out of the folder.
  await run(process.execPath, [next, 'build', '--webpack'], { ...settings, timeout: 240_000 });
  const { port } = new URL(env.PUBLIC_URL ?? '');
  const server: ChildProcess = spawn(
    process.execPath,
    [next, 'start', '--hostname', '127.0.0.1', '--port', port],
    settings,
  );
  try {
    const isUp = () =>
      fetch(`${env.PUBLIC_URL}/openapi.json`).then(
        ({ status }) => status,
        () => null,
      );
    await expect.poll(isUp, { timeout: 30_000 }).toBe(200);
    const payer = await newEvmPayer();
    const answer = await payingFetch(payer, 'base')(`${env.PUBLIC_URL}/words`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ text: 'one two three' }),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { words: 3 }]);
    expect(await balanceOf(payee, 'base')).toBe(1_000n);
  } finally {
    await endPaywall(server);
  }
});
