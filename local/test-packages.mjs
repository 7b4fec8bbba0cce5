import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * What our sources and tests import from packages with many small modules. All imports of such a package go through here, so
 * that none of its modules is loaded twice; tests/repo/import-directions.spec.ts enforces that.
 */
export const testPackages = [
  ...['viem', 'viem/accounts', 'viem/chains'],
  ...['mppx', 'mppx/client', 'mppx/discovery', 'mppx/evm', 'mppx/evm/client', 'mppx/mcp/client'],
  ...['client', 'facilitator', 'http', 'schemas', 'types'].map((part) => `@x402/core/${part}`),
  ...['exact/client', 'exact/facilitator', 'exact/server'].map((part) => `@x402/evm/${part}`),
  ...['client', 'facilitator'].map((part) => `@x402/evm/batch-settlement/${part}`),
  ...['@x402/evm', '@x402/fetch'],
  ...['bazaar', 'offer-receipt', 'payment-identifier', 'sign-in-with-x'].map(
    (part) => `@x402/extensions/${part}`,
  ),
  ...['@x402/svm', '@x402/svm/exact/client', '@x402/svm/exact/facilitator'],
  ...['@solana/kit', 'jose', 'zod', 'zod/mini'],
];

/** The folder for the bundle that this file makes of the packages at the versions in package-lock.json. */
function bundleFolder() {
  const sources = [fileURLToPath(import.meta.url), path.join(root, 'package-lock.json')];
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(source));
  return path.join(root, 'node_modules/.cache/tuppence-test-packages', hash.digest('hex').slice(0, 12));
}

/** The TypeScript configuration through which the test runner finds the bundle; undefined while there is no bundle. */
export function testPackagesConfig() {
  const file = path.join(bundleFolder(), 'tsconfig.json');
  return existsSync(file) ? file : undefined;
}

/**
 * viem loads a module each time that a call fails. In the bundle it has the module from the start: where time is simulated, none
 * passes while a file is read.
 */
const loadedFromTheStart = {
  name: 'loaded from the start',
  setup(build) {
    build.onLoad({ filter: /viem\/_esm\/actions\/public\/call\.js$/ }, ({ path: file }) => {
      const module = "'../../utils/ccip.js'";
      const source = readFileSync(file, 'utf8');
      if (!source.includes(`await import(${module})`))
        throw new Error(`${file} loads ${module} in another way`);
      return {
        contents: `import * as ccip from ${module};${source.replace(`await import(${module})`, 'ccip')}`,
      };
    });
  },
};

/**
 * Bundles these packages unless a bundle exists. Loaded one by one through the runner's loader, their 1,900 modules cost every
 * test process two seconds of CPU time.
 */
export async function bundleTestPackages() {
  if (testPackagesConfig()) return;
  // esbuild does not exist before the packages are installed.
  const { build } = await import('esbuild');
  const folder = bundleFolder();
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const nameOf = (specifier) => specifier.replaceAll(/[@/]/g, '.');
  await build({
    entryPoints: testPackages.map((specifier) => ({ in: specifier, out: nameOf(specifier) })),
    absWorkingDir: root,
    outdir: unfinished,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minifyWhitespace: true,
    plugins: [loadedFromTheStart],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  // A relative path, so that a copy of the repository with its packages reads its own sources.
  const upwards = path.posix.join(...path.relative(folder, root).split(path.sep));
  const paths = {
    '@/*': [`${upwards}/*`],
    ...Object.fromEntries(testPackages.map((specifier) => [specifier, [`./${nameOf(specifier)}.mjs`]])),
  };
  const config = { extends: `${upwards}/tsconfig.json`, compilerOptions: { paths } };
  await writeFile(path.join(unfinished, 'tsconfig.json'), JSON.stringify(config));
  // Another run may have finished first.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
}
