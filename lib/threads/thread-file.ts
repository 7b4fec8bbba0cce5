import { existsSync } from 'node:fs';
import path from 'node:path';

/** What a thread runs, and how Node is to load it. */
export interface ThreadFile {
  readonly file: string;
  readonly execArgv: readonly string[];
}

/** The built file where there is one, whichever bundle asks; the source, where nothing has been built. */
export function findThreadFile(): ThreadFile {
  const root = /* turbopackIgnore: true */ process.cwd();
  const built = path.join(root, 'dist/check-thread.js');
  if (existsSync(built)) return { file: built, execArgv: [] };
  return { file: path.join(root, 'check-thread.ts'), execArgv: ['--import', 'tsx'] };
}
