import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Folders that .gitignore excludes, by name or by path from the root. */
const ignored = [...readFileSync('.gitignore', 'utf8').matchAll(/^\/?(.+)\/$/gm)].map(([, folder]) => folder);
const isIgnored = (folder: string) =>
  folder === '.git' || ignored.some((entry) => folder === entry || folder.endsWith(`/${entry}`));

/** The files of the repository whose path from the root matches. Does not use git, so it also works in a downloaded archive. */
export function listFiles(pattern: RegExp): string[] {
  allFiles ??= filesBelow('.');
  return allFiles.filter((file) => pattern.test(file));
}

let allFiles: string[] | undefined;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (!entry.isDirectory()) return [file];
    return isIgnored(file) ? [] : filesBelow(file);
  });
}

export const read = (file: string): string => readFileSync(file, 'utf8');
