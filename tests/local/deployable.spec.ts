import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { diskBytes } from '@/tools/weight/sizes';
import { startRig } from '../recovery/rig/rig';
import { payingFetch } from '../support/buyer';
import { aFile } from '../support/files';
import { minimalHtml } from '../support/pdf';
import { startServer } from '../support/server';
import { putFile, type Slot } from '../support/uploads';
import { expect, test } from '../support/without-browser';

/** What `npm run deployable` puts into a folder, and so into the image, is all that a server needs. */

const mostBytes = 600e6;

test('a deployed server weighs less than 600 MB, and sells files, PDFs and pages without the repository', async () => {
  test.setTimeout(900_000);
  const folder = test.info().outputPath('deployed');
  await promisify(execFile)(process.execPath, ['scripts/deployable.mjs', folder]);
  const bytes = diskBytes(folder);
  console.log(`deployed: ${Math.round(bytes / 1e6)} MB`);
  expect(bytes).toBeLessThan(mostBytes);
  const omitted = [
    'typescript',
    '@prisma/internals',
    'effect',
    '@biomejs',
    '@next/swc-linux-x64-gnu',
    'sharp',
    '@img',
  ];
  for (const name of omitted) expect(existsSync(path.join(folder, 'node_modules', name)), name).toBe(false);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => /\.(map|d\.[cm]?ts)$/.test(name))).toEqual([]);

  const rig = await startRig();
  const server = await startServer(rig.serverEnv, { cwd: folder });
  try {
    const pay = payingFetch(await rig.newEvmPayer(), 'base');
    const buy = async (address: string, body: unknown) => {
      const answer = await pay(`${server.apiUrl}${address}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status, `${address} ${await answer.clone().text()}`).toBe(200);
      return answer;
    };
    const file = aFile(1_000);
    const bought = await pay(`${server.apiUrl}/v1/uploads`, { method: 'POST', body: file.body });
    const slot = (await bought.json()) as Slot;
    expect((await putFile(slot, file.bytes)).status).toBe(200);
    const link = await fetch(slot.publicUrl);
    expect(Buffer.from(await link.arrayBuffer()).equals(file.bytes)).toBe(true);
    await buy('/v1/render/pdf', { html: minimalHtml });
    await buy('/v1/airports/search', { query: 'tokyo' });
    for (const page of ['/', '/docs/getting-started', '/docs/reference', '/openapi.json', '/llms.txt'])
      expect([page, (await fetch(server.apiUrl + page)).status]).toEqual([page, 200]);
  } finally {
    await server.kill();
    await rig.close();
  }
});
