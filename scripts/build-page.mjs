// Builds the assets of a page: a script with its lazy chunks, a stylesheet and its typeface. Their names contain a hash, and they
// are compressed.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/**
 * Writes the assets to public/<page>/assets, and `manifest.json` with the names of those that the page links. The framework
 * serves them on any host; on ours lib/http/server/static-files.ts serves them compressed.
 * @param special how modules that the script imports later are bundled otherwise, by their paths without an extension
 */
export async function buildPage(page, { script, style }, special = {}) {
  const folder = `public/${page}/assets`;
  const options = {
    outdir: folder,
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file' },
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'safari16'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'warning',
  };
  const later = importedLater(options, special);
  const first = await build({ ...options, plugins: [later.plugin], entryPoints: { script, style } });
  const outputFiles = [first, ...later.built].flatMap((one) => one.outputFiles);
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
  };
  await writeFile(`${folder}/manifest.json`, JSON.stringify(manifest));
}

/**
 * Bundles each module that a script imports later by itself. Esbuild's splitting would put the code that both use into a third
 * file, which browsers request only after they have read the first.
 */
function importedLater(options, special) {
  const built = [];
  const plugin = {
    name: 'imported later',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, async ({ kind, path: module, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const entry = path.join(resolveDir, module);
        const one = await build({ ...options, ...special[path.relative('.', entry)], entryPoints: [entry] });
        built.push(one);
        return { path: `./${path.basename(one.outputFiles[0].path)}`, external: true };
      });
    },
  };
  return { plugin, built };
}
