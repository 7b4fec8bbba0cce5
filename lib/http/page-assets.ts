import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The file names of a page's script and style. They contain a hash. */
export interface Assets {
  readonly script: string;
  readonly style: string;
}

const manifests = new Map<string, Promise<Assets>>();

/** Reads the manifest that scripts/build-page.mjs writes. */
export function pageAssets(page: 'deposit' | 'f' | 'operator' | 'site'): Promise<Assets> {
  const known = manifests.get(page);
  if (known) return known;
  const file = path.join(process.cwd(), 'public', page, 'assets/manifest.json');
  const manifest = readFile(file, 'utf8').then((text) => JSON.parse(text) as Assets);
  manifests.set(page, manifest);
  return manifest;
}
