import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildPrograms } from '@/scripts/build-programs.mjs';
import { expect, test } from '../support/without-browser';

test('a built program runs with its compiled code, without it, and with that of another version of Node', async () => {
  const folder = test.info().outputPath('programs');
  const entry = test.info().outputPath('greet.ts');
  await writeFile(entry, "console.log('hello from', import.meta.url);");
  await buildPrograms(folder, entry);
  const run = async () =>
    (await promisify(execFile)(process.execPath, [path.join(folder, 'greet.js')])).stdout;
  const cacheFile = path.join(folder, 'greet.bundle.js.cache');
  const cache = await readFile(cacheFile);
  const output = await run();
  expect(output).toMatch(/^hello from file:.*greet\.bundle\.js\n$/);

  // V8 writes its version after the magic number of such a file.
  cache.writeUInt32LE(1, 4);
  await writeFile(cacheFile, cache);
  expect(await run()).toBe(output);

  await rm(cacheFile);
  expect(await run()).toBe(output);
});
