import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findChromium } from '@/lib/platform/chromium/binary';
import { findLibraries, unpackLibraries } from '@/lib/platform/chromium/libraries';
import { expect, test } from '../support/without-browser';

test('a Chromium that starts on this host gets no other libraries', async () => {
  expect(await findLibraries((await findChromium(undefined)) ?? '')).toBeNull();
});

test('a Chromium that does not start gets the libraries of the package', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-libraries-'));
  const broken = path.join(folder, 'chromium');
  await writeFile(broken, '#!/bin/sh\nexit 127\n');
  await chmod(broken, 0o755);
  const libraries = await findLibraries(broken);
  await rm(folder, { recursive: true });
  expect(libraries).toBe(await unpackLibraries());
});

test('Chromium loads the libraries of the package and runs with them', async () => {
  const chromium = (await findChromium(undefined)) ?? '';
  const libraries = await unpackLibraries();
  const env = { NODE_ENV: 'production' as const, LD_LIBRARY_PATH: libraries };
  const traced = await promisify(execFile)(chromium, [], { env: { ...env, LD_TRACE_LOADED_OBJECTS: '1' } });
  expect(traced.stdout).toContain(`libnss3.so => ${libraries}/libnss3.so`);
  expect(traced.stdout).not.toContain('not found');
  expect((await promisify(execFile)(chromium, ['--version'], { env })).stdout).toContain('Chromium');
});
