import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generatePrivateKey } from 'viem/accounts';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { errorBody } from '@/lib/catalog/errors/error-body';
import { methodOf } from '@/lib/discovery/typed-clients/methods';
import { typescriptProgram } from '@/lib/discovery/typed-clients/programs';
import { typescriptClient, typescriptPath } from '@/lib/discovery/typed-clients/typescript';
import { portOf, serve } from '@/local/http-server';
import { blocksOf, fileNameOf } from '../support/guides';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

/** What an agent with a shell reads when a call fails. */

/** Runs a program in a folder as `npm install` leaves it, against a service that refuses everything. */
async function outputOf(file: string, program: string): Promise<string> {
  const server = await serve(async (_, res) => {
    const error = new ApiError('invalid_input', { issues: [{ path: 'query', rule: 'is required' }] });
    res.writeHead(400, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(errorBody(error, 'req_0000000000000000000000', 'https://api.example.com')));
  }, 0);
  const publicUrl = `http://127.0.0.1:${portOf(server)}`;
  await mkdir('node_modules/.cache', { recursive: true });
  const folder = await mkdtemp(path.resolve('node_modules/.cache/typed-client-errors-'));
  try {
    const client = typescriptClient({ publicUrl, isAvailable: () => true } as never);
    await writeFile(path.join(folder, path.basename(typescriptPath)), client);
    await writeFile(path.join(folder, 'package.json'), '{"dependencies":{}}');
    await writeFile(path.join(folder, file), program);
    const env = {
      PATH: process.env.PATH,
      PRIVATE_KEY: generatePrivateKey(),
      NODE_ENV: 'production' as const,
    };
    return await new Promise((resolve) =>
      execFile(process.execPath, ['--import', 'tsx', file], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve(error ? stdout + stderr : 'it did not fail'),
      ),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
    server.closeAllConnections();
    server.close();
  }
}

async function expectShort(file: string, program: string): Promise<void> {
  const output = await outputOf(file, program);
  expect(output).toContain('query');
  expect(output).not.toContain('data:text');
  expect(Buffer.byteLength(output), output).toBeLessThanOrEqual(1_024);
}

test('an error in the program of the guide takes at most 1 KB, in a folder without a module type', async () => {
  const block = (await blocksOf('docs/typed-clients.md')).find((one) => fileNameOf(one) === 'x402.mts');
  await expectShort('x402.mts', block?.text ?? '');
});

test('so does an error in the sample of a call', fullOnly, async () => {
  const method = methodOf('airports.search');
  if (!method) throw new Error('there is no method');
  await expectShort('call.mts', typescriptProgram(method, { publicUrl: 'https://api.example.com' }));
});
