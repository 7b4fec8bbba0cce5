import { builtinModules } from 'node:module';
import { expect, test } from '../support/without-browser';
import { findReferences } from './references';
import { listFiles, read } from './sources';

/** Code that exists only for development and tests. */
const developmentOnly = /^(local|tests|tools)\//;

const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;

const sources = listFiles(/\.(ts|tsx|mjs|json)$/);

/** What /simulator shows in a browser is the simulation of the tests itself. A server runs nothing of it. */
const simulation =
  /^(simulator|app\/_site\/browser\/simulator)\/(?!faults\.ts)|^scripts\/build-simulator\.mjs$/;

/** The entry points of production: the programs, pages, routes, the adapter, the reader's scripts, and the build scripts. */
const entryPoints = sources.filter(
  (file) =>
    !simulation.test(file) &&
    /^(app\/.*\.tsx?|(server|worker|check-thread|instrumentation)\.ts|packages\/client\/adapter\/main\.ts|lib\/.*\/in-page\/(page|pdf)\.ts|next\.config\.mjs|scripts\/build\.mjs)$/.test(
      file,
    ),
);

/** The file that an import names by its path from the root, with or without the extension. */
function findFile(target: string): string | undefined {
  const endings = ['', '.ts', '.tsx', '/index.ts', '/index.tsx'];
  return endings.map((ending) => `${target}${ending}`).find((file) => sources.includes(file));
}

const packageOf = (target: string) => /^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target;
const isInstalled = (name: string) => !name.startsWith('node:') && !builtinModules.includes(name);

/** Every file that these files load when they run, including themselves. */
function followImports(files: readonly string[]): Set<string> {
  const reached = new Set(files);
  for (const file of reached) {
    if (!/\.(ts|tsx|mjs)$/.test(file)) continue;
    for (const { target, isPackage, isTypeOnly } of findReferences(file)) {
      const imported = isPackage || isTypeOnly ? undefined : findFile(target);
      if (imported && !simulation.test(imported)) reached.add(imported);
    }
  }
  return reached;
}

function packagesOf(files: Iterable<string>): Set<string> {
  const references = [...files].filter((file) => /\.(ts|tsx|mjs)$/.test(file)).flatMap(findReferences);
  const packages = references.filter(({ isPackage, isTypeOnly }) => isPackage && !isTypeOnly);
  return new Set(packages.map(({ target }) => packageOf(target)).filter(isInstalled));
}

/** Read once, and not while the tests are only collected. */
let followed: Set<string> | undefined;

function production(): Set<string> {
  followed ??= followImports(entryPoints);
  return followed;
}

test('production code imports nothing from the development stack', () => {
  expect(production().size).toBeGreaterThan(entryPoints.length);
  expect([...production()].filter((file) => developmentOnly.test(file))).toEqual([]);
});

test('everything that the server and the routes import is a production package', () => {
  // The build bundles them into files of their own, like everything that a browser loads.
  const bundled = followImports(
    sources.filter((file) => /^(packages\/client\/adapter\/main\.ts|app\/.*\/_?browser\/.*)$/.test(file)),
  );
  const built = followImports(['scripts/build.mjs']);
  const running = entryPoints.filter((file) => !bundled.has(file) && !built.has(file));
  const missing = [...packagesOf(followImports(running))].filter((name) => !(name in dependencies));
  expect(missing).toEqual([]);
});

test('packages that only development and tests need are development packages', () => {
  const imported = packagesOf(production());
  // Chromium is found by its package's name, without an import.
  const texts = [...production()].map(read);
  const isNeeded = (name: string) => imported.has(name) || texts.some((text) => text.includes(`'${name}'`));
  const { dependencies: ofFullTier } = JSON.parse(read('tests/package.json'));
  const local = packagesOf(sources.filter((file) => /^(local|scripts|tests|tools)\//.test(file)));
  const others = [...local].filter((name) => !isNeeded(name) && !(name in ofFullTier));
  expect(others.filter((name) => name in dependencies)).toEqual([]);
  expect(others.filter((name) => !(name in devDependencies))).toEqual([]);
});
