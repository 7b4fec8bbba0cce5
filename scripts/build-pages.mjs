// Builds what the pages that people see load: scripts and styles, named by their content and compressed once.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Served by the framework on any host; compressed by lib/server/static-files.ts on ours. */
const pages = {
  'public/f/assets': { loader: 'app/f/_browser/loader.ts', style: 'app/f/_page/form.css' },
  'public/site/assets': { loader: 'app/_site/browser/copy.ts', style: 'app/_site/site.css' },
};

/** Writes the files, and beside them `manifest.json`, which names the script and the style that a page refers to. */
export async function buildPages() {
  for (const [folder, entryPoints] of Object.entries(pages)) await buildInto(folder, entryPoints);
}

async function buildInto(folder, entryPoints) {
  const { outputFiles } = await build({
    entryPoints,
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
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
  });
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const { path: file, contents } of outputFiles) {
    await writeFile(file, contents);
    await writeFile(`${file}.br`, brotliCompressSync(contents));
    await writeFile(`${file}.gz`, gzipSync(contents, { level: 9 }));
  }
  const names = outputFiles.map(({ path: file }) => path.basename(file));
  const manifest = {
    script: names.find((name) => name.startsWith('loader-')),
    style: names.find((name) => name.startsWith('style-')),
  };
  await writeFile(`${folder}/manifest.json`, JSON.stringify(manifest));
}
