import { expect, test } from '@playwright/test';
import { about } from '@/lib/catalog/about';
import { listFiles, read } from './sources';

interface LockedPackage {
  readonly resolved?: string;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };

test('package-lock.json has no URLs of packages', () => {
  const addressed = Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined);
  expect(addressed.map(([place]) => place)).toEqual([]);
});

/** Without them `npm ci` fails on every machine; `npm run lockfile` writes them in. */
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
