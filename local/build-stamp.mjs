import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const outputs = [
  'dist/server.js',
  'dist/worker.js',
  '.next/BUILD_ID',
  'dist/adapter',
  'packages/client/dist/tuppence-mcp.cjs',
  'public/f/assets/manifest.json',
  'public/deposit/assets/manifest.json',
];
const stampFile = 'dist/.build-stamp';

// Files and folders that a build does not read, or that it writes.
const ignored = new Set([
  '.git',
  '.next',
  '.tuppence',
  '.vercel',
  'dist',
  'lib/platform/database/generated',
  'local',
  'packages/client/dist',
  'next-env.d.ts',
  'node_modules',
  'playwright-report',
  'public/deposit',
  'public/f',
  'test-results',
  'tools',
]);

/** The part of the tests that runs in the simulator of the site, which a build bundles. */
const readOfTests = /^tests\/(simulation(\/(?!.*\.spec\.ts$).*)?|support(\/(platform|random|timings)\.ts)?)$/;

/** A hash of everything that a build reads. */
export function hashSources(root) {
  const hash = createHash('sha256').update(process.version);
  const visit = (folder) => {
    const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.posix.join(folder, entry.name);
      if (ignored.has(file) || file.endsWith('.tsbuildinfo')) continue;
      if (file.startsWith('tests/') && !readOfTests.test(file)) continue;
      if (entry.isDirectory()) visit(file);
      else if (entry.isFile()) hash.update(`\n${file}\n`).update(readFileSync(path.join(root, file)));
    }
  };
  visit('');
  return hash.digest('hex');
}

/** Whether the last build used exactly these sources. */
export function isBuilt(root, sourcesHash) {
  if (!outputs.every((file) => existsSync(path.join(root, file)))) return false;
  const file = path.join(root, stampFile);
  return existsSync(file) && readFileSync(file, 'utf8') === sourcesHash;
}

/** Records which sources the build used. */
export function stampBuild(root, sourcesHash) {
  mkdirSync(path.join(root, 'dist'), { recursive: true });
  writeFileSync(path.join(root, stampFile), sourcesHash);
}

const generated = ['lib/platform/database/generated/client.ts'];
const generatedStampFile = 'lib/platform/database/generated/.stamp';

/** A hash of what the database client is generated from. */
function hashGenerated(root) {
  const hash = createHash('sha256');
  for (const file of ['prisma/schema.prisma', 'scripts/database-client.mjs', 'package-lock.json'])
    hash.update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

/** Whether the database client is up to date. */
export function isGenerated(root) {
  if (!generated.every((file) => existsSync(path.join(root, file)))) return false;
  const file = path.join(root, generatedStampFile);
  return existsSync(file) && readFileSync(file, 'utf8') === hashGenerated(root);
}

/** Records from what the database client was generated. */
export function stampGenerated(root) {
  writeFileSync(path.join(root, generatedStampFile), hashGenerated(root));
}
