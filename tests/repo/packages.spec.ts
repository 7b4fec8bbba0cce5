import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { about } from '@/lib/catalog/about';
import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';

interface LockedPackage {
  readonly resolved?: string;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly license?: string;
  /** `dev`: needed only to build or test. `devOptional`: also an optional dependency of other packages. */
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };

test('package-lock.json has no URLs of packages', () => {
  const addressed = Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined);
  expect(addressed.map(([place]) => place)).toEqual([]);
});

/** Without these entries `npm ci` fails on every machine. `npm run lockfile` adds them. */
test('package-lock.json lists the binaries of other platforms too', () => {
  const missing = Object.values(lock.packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).filter((name) =>
      Object.keys(lock.packages).every((place) => !place.endsWith(`node_modules/${name}`)),
    ),
  );
  expect(missing).toEqual([]);
});

test('every install script is allowed or denied by name', () => {
  const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
  const withScript = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = withScript.map(([place]) =>
    place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
  );
  expect(names.filter((name) => allowScripts[name] === undefined)).toEqual([]);
});

test('no file names a folder of the development machine', () => {
  const homes = /\/(?:home|Users)\/[a-z]|\/root\/[.\w]|C:\\Users/;
  const offences = listFiles(/\.(ts|tsx|mjs|md|json|prisma|sql|css)$|^\.[^/]*$|^\.ci\//)
    .filter((file) => !/^\.env(?!\.example)/.test(file))
    .filter((file) =>
      read(file)
        .split('\n')
        .some((line) => line.includes(process.cwd()) || (homes.test(line) && !line.includes('const homes'))),
    );
  expect(offences).toEqual([]);
});

test('documents state the version of the package', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject({ version: about.version });
});

/** Licenses that allow anyone to run, change and redistribute a program that uses the package. */
const freeLicenses =
  /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|CC-BY-4\.0|PSF-2\.0|OFL-1\.1|EPL-2\.0|LGPL-3\.0-(only|or-later))$/;

/** Those that require something of whoever changes the package. */
const copyleft = /^(EPL|LGPL)-/;

/** Packages whose entry in package-lock.json names no license, with the license that their own files name. */
const saidElsewhere = [
  // MIT, in npm's old `licenses` field of its package.json.
  'eyes',
  // Unlicense, in LICENSE.md.
  'text-encoding-utf-8',
  // MIT, in LICENSE.
  'seq-queue',
];

test('what production installs has a free license', () => {
  const others = Object.entries(lock.packages)
    // `devOptional` is installed too, because a package of ours may use it.
    .filter(([place, { dev }]) => place !== '' && !dev)
    .map(([place, { license = '' }]) => ({ name: place.split('node_modules/').at(-1) ?? '', license }))
    // Next's compiler for other platforms: MIT, like the rest of Next.
    .filter(({ name, license }) => !(license === '' && name.startsWith('@next/swc-')))
    .filter(({ name, license }) => !(license === '' && saidElsewhere.includes(name)))
    .filter(({ license }) => !license.split(/ and /i).every((one) => freeLicenses.test(one)));
  expect(others).toEqual([]);
});

test('the page about security names every package under a copyleft license', () => {
  const page = read('docs/security.md');
  const found = Object.entries(lock.packages)
    .filter(
      ([place, { dev, license = '' }]) =>
        place !== '' && !dev && license.split(/ and /i).some((one) => copyleft.test(one)),
    )
    .map(([place]) => place.split('node_modules/').at(-1) ?? '');
  // One package for each platform.
  const families = new Set(found.map((name) => name.replace(/^@img\/sharp-.*/, '@img/sharp-libvips-')));
  expect(families.size).toBeGreaterThan(2);
  for (const name of families) expect(page, name).toContain(`\`${name}`);
});

test('npm makes a bill of materials with every package', async () => {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const { stdout } = await promisify(execFile)('npm', args, { maxBuffer: 2 ** 24 });
  const { bomFormat, components } = JSON.parse(stdout);
  expect(bomFormat).toBe('CycloneDX');
  const { dependencies } = JSON.parse(read('package.json'));
  const listed = components.map(({ group, name }: Record<string, string>) =>
    group ? `${group}/${name}` : name,
  );
  expect(Object.keys(dependencies).filter((name) => !listed.includes(name))).toEqual([]);
});
