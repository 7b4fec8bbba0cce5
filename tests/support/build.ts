import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What `npm run build` made. A test that imports this module is run with a build (local/test-needs.mjs). */

const serverFolder = '.next/server';

/** The framework's lists of the files that a built module needs, whose names end with this, by path from the root. */
export function tracesOf(ending: string): string[] {
  return readdirSync(serverFolder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => path.posix.join(serverFolder, file));
}

/** The files that such a list names, by path from the root. */
export function tracedFiles(trace: string): string[] {
  const { files } = JSON.parse(readFileSync(trace, 'utf8')) as { files: string[] };
  return files.map((file) => path.posix.join(path.posix.dirname(trace), file));
}
