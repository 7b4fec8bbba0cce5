// Builds the local MCP adapter and the command-line client, each one file that runs on Node alone, and an npm package of both. The
// service gives them out itself (app/_site/adapter-files.ts). The same sources make the same bytes.
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { pack } from 'tar-fs';

/** The programs by the names of their commands in packages/client/package.json. `npx` runs the one that is named like the package. */
const programs = {
  'tuppence-mcp': 'packages/client/adapter/main.ts',
  tuppence: 'packages/client/command-line/main.ts',
};

const demoUrl = 'http://localhost:3402';

/** Padded so that a service can replace it in a program, or in the package, without changing a length. */
const defaultService = `default-service=${process.env.PUBLIC_URL || demoUrl}`.padEnd(200);

/**
 * Writes the programs to packages/client/dist, and what the service gives out to dist/adapter, with the version in each name. By default
 * the programs call the service at PUBLIC_URL.
 * @param root where these folders are
 */
export async function buildMcp(root = '.') {
  const folder = path.join(root, 'packages/client/dist');
  const servedFolder = path.join(root, 'dist/adapter');
  await emptyFolder(folder);
  await emptyFolder(servedFolder);
  const { metafile } = await build({
    entryPoints: programs,
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    metafile: true,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: '#!/usr/bin/env node' },
    define: { defaultService: JSON.stringify(defaultService) },
    logLevel: 'warning',
  });
  const licenses = await collectLicenses(Object.keys(metafile.inputs));
  await writeFile(`${folder}/THIRD-PARTY-LICENSES.txt`, licenses);
  const { name, version } = JSON.parse(await readFile('packages/client/package.json', 'utf8'));
  for (const program of Object.keys(programs)) {
    await chmod(`${folder}/${program}.cjs`, 0o755);
    const text = await readFile(`${folder}/${program}.cjs`, 'utf8');
    await writeFile(`${servedFolder}/${program}-${version}.cjs`, text + asComment(licenses));
  }
  await writeFile(`${servedFolder}/${name}-${version}.tgz`, await makePackage('packages/client', folder));
}

async function emptyFolder(name) {
  await rm(name, { recursive: true, force: true });
  await mkdir(name, { recursive: true });
}

/** What npm puts into its own packages, so that they can be made again. */
const modifiedAt = new Date('1985-10-26T08:15:00.000Z');

/**
 * An npm package, as `npm pack` makes it, without anything of this machine: times, owners, permissions.
 * @param {string} source the folder with its package.json and README.md
 * @param {string} folder what was built
 * @returns {Promise<Buffer>}
 */
export async function makePackage(source, folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const built = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
  const names = new Map([
    ...['package.json', 'README.md'].map((file) => [`${source}/${file}`, `package/${file}`]),
    ...built.map((file) => [path.relative('.', path.join(folder, file)), `package/dist/${file}`]),
  ]);
  const map = (header) => ({
    ...header,
    name: names.get(header.name),
    mode: header.name.endsWith('.cjs') ? 0o755 : 0o644,
    mtime: modifiedAt,
    uid: 0,
    gid: 0,
  });
  const zipped = gzipSync(await buffer(pack('.', { entries: [...names.keys()], map })), { level: 9 });
  // The header's last byte names the operating system; 255 is "unknown" (RFC 1952, 2.3.1).
  zipped[9] = 255;
  return zipped;
}

/** One file has its licenses within it. */
function asComment(text) {
  return `\n/*\n${text.replaceAll('*/', '* /')}*/\n`;
}

/** The license texts of all packages with a file in the bundles. */
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
