import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The names of a page's built files, see scripts/build-page.mjs. */
export interface Assets {
  readonly script: string;
  readonly style: string;
}

const manifests = new Map<string, Promise<Assets>>();

/** The script and the style of a page, as scripts/build-page.mjs wrote them: names carry a hash. */
export function pageAssets(page: 'deposit' | 'f' | 'site'): Promise<Assets> {
  const known = manifests.get(page);
  if (known) return known;
  const file = path.join(process.cwd(), 'public', page, 'assets/manifest.json');
  const manifest = readFile(file, 'utf8').then((text) => JSON.parse(text) as Assets);
  manifests.set(page, manifest);
  return manifest;
}
