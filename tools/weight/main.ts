import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { settingsSchema } from '@/lib/platform/settings';
import { formatTable } from '../page-report/table';
import { diskBytes, isInstalled, lockedPackages, packagesBytes } from './sizes';

/** `npm run weight`: prints how much there is of everything that somebody has to read, install or run. */

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');

const linesOf = (names: readonly string[]) =>
  names.reduce((sum, name) => sum + readFileSync(name, 'utf8').split('\n').length - 1, 0);

const sources = (folders: string) =>
  files.filter((file) => new RegExp(`^(${folders})/.*\\.(ts|tsx|mjs|sol)$`).test(file));

const count = (pattern: RegExp) => files.filter((file) => pattern.test(file)).length;

const number = (value: number) => value.toLocaleString('en-US');
const megabytes = (bytes: number) => `${number(Math.round(bytes / 1e6))} MB`;

const dependenciesOf = (manifest: string) => {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  return [dependencies, devDependencies].map((names) => Object.keys(names).length);
};

/** Tests as the runner lists them, which needs nothing that is built or started. */
function testsOf(tier: 'default' | 'full'): number {
  const args = ['node_modules/@playwright/test/cli.js', 'test', '--list'];
  const listed = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, TEST_TIER: tier },
    maxBuffer: 2 ** 26,
  });
  return Number(/^(\d+) tests in/m.exec(listed)?.[1]);
}

function packageRows(): [string, string][] {
  const locked = lockedPackages();
  const installed = [...locked.keys()].filter(isInstalled);
  const production = installed.filter((place) => locked.get(place)?.isForProduction);
  const [used = 0, development = 0] = dependenciesOf('package.json');
  const [fonts = 0] = dependenciesOf('packages/fonts/package.json');
  const [fullTier = 0] = dependenciesOf('tests/package.json');
  return [
    ['Direct dependencies of the root', `${used} and ${development} for development`],
    ['Packages of fonts, and of the full tier', `${fonts} and ${fullTier}`],
    ['Packages locked, and installed by npm ci', `${number(locked.size)} and ${number(installed.length)}`],
    ['Size of them', megabytes(packagesBytes(installed))],
    ['Packages of npm ci --omit=dev', number(production.length)],
    ['Size of them', megabytes(packagesBytes(production))],
    [
      'Size of the build, without its cache',
      megabytes(diskBytes('.next', (file) => file !== '.next/cache') + diskBytes('dist')),
    ],
  ];
}

const product = sources('app|lib|packages|local');
const tests = sources('tests');
const rows: [string, string][] = [
  ['Files', number(files.filter((file) => file !== '').length)],
  ['Product: files and lines', `${number(product.length)} and ${number(linesOf(product))}`],
  ['Tests: files and lines', `${number(tests.length)} and ${number(linesOf(tests))}`],
  [
    'Tools: files and lines',
    `${number(sources('tools|scripts').length)} and ${number(linesOf(sources('tools|scripts')))}`,
  ],
  [
    'Tests in the default tier and the full tier',
    `${number(testsOf('default'))} and ${number(testsOf('full'))}`,
  ],
  ...packageRows(),
  ['Route files', number(count(/^app\/.*\/route\.ts$/))],
  ['Migrations', number(count(/^prisma\/migrations\/.*\.sql$/))],
  ['Decision records', number(count(/^docs\/decisions\/.*\.md$/))],
  ['Settings', number(Object.keys(settingsSchema.shape).length)],
];
console.log(formatTable(['What', 'How much'], rows));
