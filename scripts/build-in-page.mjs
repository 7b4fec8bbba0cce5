import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Makes scripts of the code that the reader runs inside a browser, with the packages that it uses. Each defines `inPage`. */
export async function buildInPage() {
  const folder = 'lib/services/research/reader/page/in-page';
  await build({
    entryPoints: [`${folder}/page.ts`, `${folder}/pdf.ts`],
    outdir: 'dist/in-page',
    bundle: true,
    format: 'iife',
    globalName: 'inPage',
    target: 'chrome120',
    minifyWhitespace: true,
    // Characters that no encoding changes.
    charset: 'ascii',
    // A script has no address.
    define: { 'import.meta.url': '""' },
    logLevel: 'warning',
  });
}

// Run as a program, for programs that need no other build.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildInPage();
