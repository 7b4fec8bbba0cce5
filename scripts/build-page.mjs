// Builds what our own pages load: a script, what it loads later, and a style; named by their content and compressed once.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/**
 * Writes the files of a page, and `manifest.json`, which names those that it refers to, to public/<page>/assets: served by
 * the framework on any host, compressed by lib/server/static-files.ts on ours.
 */
export async function buildPage(page, { script, style }) {
  const folder = `public/${page}/assets`;
  const { outputFiles } = await build({
    entryPoints: { script, style },
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
    script: names.find((name) => name.startsWith('script-') && name.endsWith('.js')),
    style: names.find((name) => name.startsWith('style-')),
  };
  await writeFile(`${folder}/manifest.json`, JSON.stringify(manifest));
}
