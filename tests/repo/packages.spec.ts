import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { about } from '@/lib/catalog/about';
import { fontPackages, scriptPackages } from '@/packages/fonts/fonts';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';

interface LockedPackage {
  readonly resolved?: string;
  /** A folder of this repository. */
  readonly link?: true;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly license?: string;
  /** Needed only to build or test. */
  readonly dev?: boolean;
  /** Needed only to build or test, and an optional peer of a package that production needs: `npm ci --omit=dev` installs it. */
  readonly devOptional?: boolean;
}

const lockOf = (folder: string) =>
  JSON.parse(read(path.join(folder, 'package-lock.json'))) as { packages: Record<string, LockedPackage> };
const lock = lockOf('.');

for (const folder of ['.', 'tests']) {
  const { packages } = lockOf(folder);
  const file = path.join(folder, 'package-lock.json');

  test(`${file} has no URLs of packages`, () => {
    const addressed = Object.entries(packages).filter(
      ([, { resolved, link }]) => resolved !== undefined && !link,
    );
    expect(addressed.map(([place]) => place)).toEqual([]);
  });

  /** Without these entries `npm ci` fails on every machine. `npm run lockfile` adds them. */
  test(`${file} lists the binaries of other platforms too`, () => {
    const missing = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies).filter((name) =>
        Object.keys(packages).every((place) => !place.endsWith(`node_modules/${name}`)),
      ),
    );
    expect(missing).toEqual([]);
  });

  test(`${file} has no install script that is not allowed or denied by name`, () => {
    const { allowScripts } = JSON.parse(read(path.join(folder, 'package.json'))) as {
      allowScripts: Record<string, boolean>;
    };
    const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = withScript.map(([place]) =>
      place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
    );
    expect(names.filter((name) => allowScripts[name] === undefined)).toEqual([]);
  });
}

test(
  'npm installs the packages without a warning, such as one about the version of Node',
  fullOnly,
  async () => {
    for (const folder of ['.', 'tests']) {
      // Without anything that is installed already.
      const copy = test.info().outputPath(folder);
      const files = ['package.json', 'package-lock.json', '.npmrc'].map((name) => path.join(folder, name));
      for (const file of folder === '.' ? [...files, 'packages/fonts/package.json'] : files) {
        const place = path.join(copy, path.relative(folder, file));
        await mkdir(path.dirname(place), { recursive: true });
        await copyFile(file, place);
      }
      const { stderr } = await promisify(execFile)('npm', ['ci', '--dry-run', '--offline'], { cwd: copy });
      // Firecrawl's client asks for a newer Node than README does, and works without it.
      const ofFirecrawl =
        /npm warn EBADENGINE Unsupported engine \{\n[^}]*package: '[^']*firecrawl[^}]*\}, *\n[^}]*\}[^}]*\}\n/g;
      expect(folder === '.' ? stderr : stderr.replaceAll(ofFirecrawl, '')).toBe('');
    }
  },
);

test('each font of the renderer is a package of packages/fonts, and no other package is there', () => {
  const { dependencies } = JSON.parse(read('packages/fonts/package.json'));
  expect([...fontPackages, ...scriptPackages].sort()).toEqual(Object.keys(dependencies).sort());
});

test('the full tier installs what its tests load, and nothing else', () => {
  const { dependencies } = JSON.parse(read('tests/package.json')) as { dependencies: Record<string, string> };
  const loader = read('tests/support/full-tier-packages.ts');
  const loaders = loader + read('tests/support/sellers/express.mjs');
  expect(Object.keys(dependencies).filter((name) => !loaders.includes(`'${name}`))).toEqual([]);
  const loaded = [...loader.matchAll(/import\('([^']+)'\)/g)].map(([, name = '']) => name);
  expect(loaded.filter((name) => !(name in dependencies))).toEqual([]);
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
  for (const file of ['package.json', 'packages/fonts/package.json'])
    expect(JSON.parse(read(file)), file).toMatchObject({ version: about.version });
});

test('production installs nothing only because a package could use it too', () => {
  expect(Object.entries(lock.packages).filter(([, { devOptional }]) => devOptional)).toEqual([]);
  for (const name of ['@prisma/internals', 'typescript', '@playwright/test'])
    expect(lock.packages[`node_modules/${name}`], name).toMatchObject({ dev: true });
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
];

test('every package that production installs has a free license', () => {
  const others = Object.entries(lock.packages)
    .filter(([place, { dev, link }]) => place !== '' && !dev && !link)
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
  expect(families.size).toBeGreaterThan(1);
  for (const name of families) expect(page, name).toContain(`\`${name}`);
});

test('npm makes a bill of materials with every package', async () => {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const { stdout } = await promisify(execFile)('npm', args, { maxBuffer: 2 ** 24 });
  const { bomFormat, components } = JSON.parse(stdout);
  expect(bomFormat).toBe('CycloneDX');
  const dependencies = ['package.json', 'packages/fonts/package.json'].flatMap((file) =>
    Object.keys(JSON.parse(read(file)).dependencies),
  );
  const listed = components.map(({ group, name }: Record<string, string>) =>
    group ? `${group}/${name}` : name,
  );
  expect(dependencies.filter((name) => !listed.includes(name))).toEqual([]);
});
