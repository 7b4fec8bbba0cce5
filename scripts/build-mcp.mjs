// Builds the local MCP adapter: one file that runs on Node alone, and the licenses of the packages in it.
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

const folder = 'mcp/dist';
const demoUrl = 'http://localhost:3402';

/** Writes the program to mcp/dist. By default it calls the service at PUBLIC_URL. */
export async function buildMcp() {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const outfile = `${folder}/tuppence-mcp.cjs`;
  const { metafile } = await build({
    entryPoints: ['mcp/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    metafile: true,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: '#!/usr/bin/env node' },
    define: { defaultApiUrl: JSON.stringify(process.env.PUBLIC_URL || demoUrl) },
    logLevel: 'warning',
  });
  await chmod(outfile, 0o755);
  await writeFile(`${folder}/THIRD-PARTY-LICENSES.txt`, await collectLicenses(Object.keys(metafile.inputs)));
}

/** The license texts of all packages with a file in the bundle. */
async function collectLicenses(files) {
  const packages = files.map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const texts = [...new Set(packages.filter(Boolean))].sort().map(async (place) => {
    const { name, version, license } = JSON.parse(await readFile(path.join(place, 'package.json'), 'utf8'));
    const file = (await readdir(place)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? await readFile(path.join(place, file), 'utf8') : `License: ${license}`;
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
