import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { buildPrograms } from '@/scripts/build-programs.mjs';
import { programsFolder } from './stack';

/** The file of a program of tests/support, by its path there, bundled once per run like those of `dist`. */
export async function bundledProgram(name: string): Promise<string> {
  const folder = path.join(programsFolder(), name);
  const file = path.join(folder, `${path.basename(name)}.js`);
  if (existsSync(file)) return file;
  // Several workers may do this at the same time.
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(path.dirname(folder), { recursive: true });
  await buildPrograms(unfinished, `tests/support/${name}.ts`);
  await rename(unfinished, folder).catch(async (error: unknown) => {
    // Another worker was faster.
    if (!existsSync(file)) throw error;
    await rm(unfinished, { recursive: true });
  });
  return file;
}
