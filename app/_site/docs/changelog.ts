import { readFile } from 'node:fs/promises';
import path from 'node:path';

export const changelogDescription = 'What changed for callers and for operators, by release.';

/** The changelog of the service, as Markdown. */
export function readChangelog(): Promise<string> {
  return readFile(path.join(process.cwd(), 'CHANGELOG.md'), 'utf8');
}
