// `npm run lockfile`: writes package-lock.json, and that of tests/package.json. If a registry lacks the binaries of other
// platforms, npm leaves them out of the lock file, and `npm ci` then fails on every machine. This adds them, with the versions
// that the packages depending on them name; npm skips them on platforms that they are not for.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

/** The platform of a package, from its name, as in `@oxc-parser/binding-linux-x64-musl`. */
function platformOf(name) {
  const words = name.replace('amd64', 'x64').split(/[-/]/);
  const os = words.find((word) => systems.includes(word));
  const cpu = words.find((word) => processors.includes(word));
  if (!os || !cpu) throw new Error(`The name of ${name} does not say which platform it is for.`);
  const libc = words.some((word) => word.startsWith('musl'))
    ? { libc: ['musl'] }
    : words.some((word) => word.startsWith('gnu'))
      ? { libc: ['glibc'] }
      : {};
  return { cpu: [cpu], ...libc, os: [os] };
}

/** Where the package at `place` finds `name`: in its own node_modules or in one above it. */
function find(packages, place, name) {
  const folders = place
    .split('/node_modules/')
    .map((_, depth, parts) => parts.slice(0, depth + 1).join('/node_modules/'));
  return ['', ...folders]
    .map((folder) => `${folder}${folder && '/'}node_modules/${name}`)
    .findLast((candidate) => packages[candidate]);
}

function addOtherPlatforms(packages) {
  for (const [place, { dev, optionalDependencies = {} }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (find(packages, place, name)) continue;
      const { cpu, ...rest } = platformOf(name);
      packages[`node_modules/${name}`] = { version, cpu, ...(dev && { dev }), optional: true, ...rest };
    }
  }
}

/**
 * Makes the optional peers of production packages development packages again where only we need them: Prisma's command line with
 * its studio, the test runner. npm marks them `devOptional`, and `npm ci --omit=dev` then installs them. Packages that ask for
 * TypeScript as a peer need it for their types, never to run.
 */
function omitOptionalPeers(packages) {
  const places = new Set(['', ...Object.keys(packages).filter((place) => packages[place].link)]);
  for (const place of places) {
    const {
      resolved,
      dependencies,
      optionalDependencies,
      peerDependencies,
      peerDependenciesMeta = {},
    } = packages[place];
    if (resolved) places.add(resolved);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = find(packages, place, name);
      if (found && name !== 'typescript' && !peerDependenciesMeta[name]?.optional) places.add(found);
    }
  }
  for (const [place, entry] of Object.entries(packages)) {
    if (places.has(place) || !(entry.devOptional || place === 'node_modules/typescript')) continue;
    delete entry.devOptional;
    delete entry.peer;
    entry.dev = true;
  }
}

for (const folder of ['.', 'tests']) {
  execFileSync('npm', ['install', '--package-lock-only'], { cwd: folder, stdio: 'inherit' });
  const file = path.join(folder, 'package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  addOtherPlatforms(lock.packages);
  omitOptionalPeers(lock.packages);
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([one], [other]) => one.localeCompare(other, 'en')),
  );
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
