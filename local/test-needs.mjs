// Finds out what the chosen tests need before they can run: packages of the full tier, a build, a database, or the whole stack. Plain JavaScript, because
// `npm test` asks before it has installed anything.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Modules through which tests reach what has to be started or built for them, and what that is. */
const needsOfModules = {
  'tests/support/build.ts': ['build'],
  'tests/support/browser.ts': ['browser'],
  'tests/support/database-server.ts': ['database'],
  'tests/support/full-tier-packages.ts': ['full-tier packages'],
  'tests/support/stack.ts': ['build', 'browser', 'database', 'stack'],
};

/** Options of the test runner that take the next argument as their value. */
const optionsWithValue = new Set([
  ...['-c', '--config', '-g', '--grep', '--grep-invert', '-j', '--workers', '--max-failures', '--output'],
  ...['--project', '--repeat-each', '--reporter', '--retries', '--shard', '--timeout', '--trace'],
]);

/**
 * What the tests need that `npm test` or the runner was asked for.
 * @param {string} root the repository
 * @param {readonly string[]} args arguments of the test runner
 * @returns {Set<'build' | 'browser' | 'database' | 'full-tier packages' | 'stack'>}
 */
export function findTestNeeds(root, args) {
  // Listing runs no test.
  if (args.includes('--list') || args.includes('--help')) return new Set();
  const chosen = chooseTests(root, args);
  const reached = reachFrom(root, chosen);
  return new Set(reached.flatMap((file) => needsOfModules[file] ?? []));
}

/** The test files that the arguments choose, as the test runner does: each is a regular expression, perhaps with `:line`. */
export function chooseTests(root, args) {
  const filters = args
    .filter((arg, index) => !arg.startsWith('-') && !optionsWithValue.has(args[index - 1]))
    .map((arg) => new RegExp(arg.replace(/(:\d+){1,2}$/, ''), 'i'));
  const files = listFiles(root, 'tests').filter((file) => file.endsWith('.spec.ts'));
  return filters.length === 0
    ? files
    : files.filter((file) => filters.some((filter) => filter.test(path.join(root, file))));
}

function listFiles(root, folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [file];
    return entry.name === 'node_modules' ? [] : listFiles(root, file);
  });
}

/** These files and all of our modules that they import, directly or not. */
function reachFrom(root, files) {
  const seen = new Set(files);
  for (const file of seen) for (const imported of findImports(root, file)) seen.add(imported);
  return [...seen];
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s(?!type\b)(?:[^'"();]*?from\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;

/** Our modules that a file imports other than for types. */
function findImports(root, file) {
  return [...readFileSync(path.join(root, file), 'utf8').matchAll(importPattern)]
    .map(([, constant, dynamic]) => resolveModule(root, file, constant ?? dynamic))
    .filter((found) => found !== undefined);
}

function resolveModule(root, from, specifier) {
  const isOurs = specifier.startsWith('.') || specifier.startsWith('@/');
  if (!isOurs) return undefined;
  const place = specifier.startsWith('@/')
    ? specifier.slice(2)
    : path.posix.join(path.posix.dirname(from), specifier);
  return ['', '.ts', '.tsx', '.mjs', '/index.ts']
    .map((ending) => place + ending)
    .find((module) => /\.(ts|tsx|mjs)$/.test(module) && existsSync(path.join(root, module)));
}
