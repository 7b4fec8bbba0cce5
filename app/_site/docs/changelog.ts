import { readFile } from 'node:fs/promises';
import path from 'node:path';

export const changelogDescription = 'What changed, by date: for callers, and for operators.';

/** The name of its file in `docs`. */
export const changelogName = 'changes/changelog';

/** What changed, in one sentence each, as Markdown. `CHANGELOG.md` has every detail. */
export function readChangelog(): Promise<string> {
  return readFile(path.join(process.cwd(), 'docs', `${changelogName}.md`), 'utf8');
}
