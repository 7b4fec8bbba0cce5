import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The names of the built files, see scripts/build-pages.mjs. */
export interface Assets {
  readonly script: string;
  readonly style: string;
}

let manifest: Promise<Assets> | undefined;

/** The script and the style of our own pages: names carry a hash. */
export function siteAssets(): Promise<Assets> {
  manifest ??= readFile(path.join(process.cwd(), 'public/site/assets/manifest.json'), 'utf8').then(
    (text) => JSON.parse(text) as Assets,
  );
  return manifest;
}
