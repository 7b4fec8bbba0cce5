// Builds packages/paywall: modules with our own code, and an npm package of them. What others have written is installed with it.
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { makePackage } from './build-mcp.mjs';

const source = 'packages/paywall';
/** The entries beside `index` whose packages only those install who use them. */
const optional = ['postgres', 'solana'];

/**
 * Writes the module and its declarations to packages/paywall/dist, and the package to dist/paywall, below a folder.
 * @param {string} root where these folders are
 * @returns {Promise<string>} the file of the package
 */
export async function buildPaywall(root = '.') {
  const folder = path.join(root, source, 'dist');
  await rm(folder, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: ['index', ...optional].map((entry) => `${source}/${entry}.ts`),
    outdir: folder,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    metafile: true,
    logLevel: 'warning',
  });
  const manifest = JSON.parse(await readFile(`${source}/package.json`, 'utf8'));
  await checkDependencies(manifest, metafile.outputs, (name) => path.join(folder, name));
  // These files name nothing of the sources beside them, so they are their own declarations.
  await copyFile(`${source}/types.ts`, path.join(folder, 'index.d.ts'));
  for (const entry of optional)
    await copyFile(`${source}/${entry}-types.ts`, path.join(folder, `${entry}.d.ts`));
  await cp('prisma/migrations', path.join(folder, 'migrations'), {
    recursive: true,
    filter: (file) => !file.endsWith('.toml'),
  });
  const packed = path.join(root, 'dist/paywall', `${manifest.name}-${manifest.version}.tgz`);
  await mkdir(path.dirname(packed), { recursive: true });
  await writeFile(packed, await makePackage(source, folder));
  return packed;
}

/**
 * The package depends on what its modules import, in the versions that the tests of this repository run with: all of it for its
 * first entry, and what each of the others needs in addition where it is used.
 */
async function checkDependencies({ dependencies, peerDependencies }, outputs, fileOf) {
  const { dependencies: tested } = JSON.parse(await readFile('package.json', 'utf8'));
  const first = packagesOf(outputs, fileOf('index.js'));
  const others = optional.flatMap((entry) => packagesOf(outputs, fileOf(`${entry}.js`)));
  const more = [...new Set(others)].filter((name) => !first.includes(name)).sort();
  for (const [names, given] of [
    [first, dependencies],
    [more, peerDependencies],
  ]) {
    const needed = JSON.stringify(Object.fromEntries(names.map((name) => [name, tested[name]])));
    if (JSON.stringify(given) !== needed) throw new Error(`${source}/package.json must depend on ${needed}`);
  }
}

/** The packages that a built module and the parts that it shares import. */
function packagesOf(outputs, file) {
  const modules = new Set([path.relative('.', file)]);
  const found = new Set();
  for (const module of modules) {
    for (const { path: imported, external } of outputs[module].imports) {
      if (!external) modules.add(imported);
      else if (!isBuiltin(imported)) found.add(/^(@[^/]+\/)?[^/]+/.exec(imported)[0]);
    }
  }
  return [...found].sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildPaywall());
