import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Assets } from './document';

let manifest: Promise<Assets> | undefined;

/** The script and the style of the form's page, as scripts/build-pages.mjs wrote them: names carry a hash. */
export function builtAssets(): Promise<Assets> {
  manifest ??= readFile(path.join(process.cwd(), 'public/f/assets/manifest.json'), 'utf8').then(
    (text) => JSON.parse(text) as Assets,
  );
  return manifest;
}
