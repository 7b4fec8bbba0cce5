import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildPrograms } from '@/scripts/build-programs.mjs';
import { programsFolder } from './stack';

const builtWithinMs = 60_000;

/** Bundles a program in tests/support, named by its path there, once per run, as the build does for `dist`. @returns the file */
export async function bundledProgram(name: string): Promise<string> {
  const folder = path.join(programsFolder(), name);
  const file = path.join(folder, `${path.basename(name)}.js`);
  if (existsSync(file)) return file;
  const unfinished = `${folder}.unfinished`;
  await mkdir(path.dirname(folder), { recursive: true });
  // Workers get here at the same time. The first to create the folder bundles for all of them.
  const isFirst = await mkdir(unfinished).then(
    () => true,
    () => false,
  );
  // Another worker may have finished since the first check.
  if (isFirst && !existsSync(file)) {
    await buildPrograms(unfinished, `tests/support/${name}.ts`);
    await rename(unfinished, folder);
  }
  for (const startedMs = performance.now(); !existsSync(file); await sleep(100)) {
    if (performance.now() - startedMs > builtWithinMs) throw new Error(`${name} was not bundled`);
  }
  return file;
}
