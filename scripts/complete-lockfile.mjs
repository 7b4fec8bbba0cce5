// The second step of `npm run lockfile`, after npm has written package-lock.json. If a registry lacks the binaries of other
// platforms, npm leaves them out of the lock file, and `npm ci` then fails on every machine. This adds them, with the versions
// that the packages depending on them name; npm skips them on platforms that they are not for.
import { readFileSync, writeFileSync } from 'node:fs';

const file = 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const processors = ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64'];

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

/** Whether the package at `place` finds `name` in its own node_modules or in one above it. */
function isFound(place, name) {
  const folders = place
    .split('/node_modules/')
    .map((_, depth, parts) => parts.slice(0, depth + 1).join('/node_modules/'));
  return ['', ...folders].some((folder) => lock.packages[`${folder}${folder && '/'}node_modules/${name}`]);
}

for (const [place, { dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (isFound(place, name)) continue;
    const { cpu, ...rest } = platformOf(name);
    lock.packages[`node_modules/${name}`] = { version, cpu, ...(dev && { dev }), optional: true, ...rest };
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([one], [other]) => one.localeCompare(other, 'en')),
);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
