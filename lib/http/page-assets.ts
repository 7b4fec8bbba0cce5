import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The file names of a page's script, style and typeface. They contain a hash. */
export interface Assets {
  readonly script: string;
  readonly style: string;
  /** The typeface's Latin letters, which every page needs. */
  readonly font: string;
}

/** The pages that have assets of their own, by their folder in `public`. */
export type PageFolder = 'deposit' | 'f' | 'operator' | 'site';

const manifests = new Map<string, Promise<Assets>>();

/** Reads the manifest that scripts/build-page.mjs writes. */
export function pageAssets(page: PageFolder): Promise<Assets> {
  const known = manifests.get(page);
  if (known) return known;
  const file = path.join(process.cwd(), 'public', page, 'assets/manifest.json');
  const manifest = readFile(file, 'utf8').then((text) => JSON.parse(text) as Assets);
  manifests.set(page, manifest);
  return manifest;
}
