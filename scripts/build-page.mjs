// Builds the assets of a page: a script with its lazy chunks, a stylesheet and its typeface. Their names contain a hash, and they
// are compressed.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/**
 * Writes the assets to public/<page>/assets, and `manifest.json` with the names of those that the page links. The framework
 * serves them on any host; on ours lib/http/server/static-files.ts serves them compressed.
 * @param others scripts that only some pages of the folder link, by name: the entry of each, and how it is bundled otherwise
 */
export async function buildPage(page, { script, style }, others = {}) {
  const folder = `public/${page}/assets`;
  const options = {
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file' },
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'safari16'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'warning',
  };
  const built = await Promise.all([
    build({ ...options, entryPoints: { script, style } }),
    ...Object.entries(others).map(([name, { entry, ...more }]) =>
      build({ ...options, ...more, entryPoints: { [name]: entry } }),
    ),
  ]);
  const outputFiles = built.flatMap((one) => one.outputFiles);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const { path: file, contents } of outputFiles) {
    await writeFile(file, contents);
    // Already compressed.
    if (file.endsWith('.woff2')) continue;
    await writeFile(`${file}.br`, brotliCompressSync(contents));
    await writeFile(`${file}.gz`, gzipSync(contents, { level: 9 }));
  }
  const names = outputFiles.map(({ path: file }) => path.basename(file));
  const manifest = {
    script: names.find((name) => name.startsWith('script-') && name.endsWith('.js')),
    style: names.find((name) => name.startsWith('style-')),
    font: names.find((name) => name.startsWith('figtree-latin-wght-')),
    ...Object.fromEntries(
      Object.keys(others).map((name) => [name, names.find((file) => file.startsWith(`${name}-`))]),
    ),
  };
  await writeFile(`${folder}/manifest.json`, JSON.stringify(manifest));
}
