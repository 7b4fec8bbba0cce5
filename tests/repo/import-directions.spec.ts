import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { testPackages } from '@/local/test-packages.mjs';
import { expect, test } from '../support/without-browser';
import { findReferences } from './references';
import { listFiles, read } from './sources';

const services = readdirSync('lib/services', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => `lib/services/${entry.name}`);

/** Services that other services build on. */
const sharedServices = ['lib/services/airports', 'lib/services/uploads'];

/**
 * The folders of the repository from the bottom up. Each may import only what comes before it, so there can be no cycles.
 */
const layers = [
  'packages/fonts',
  'lib/platform/addresses',
  'lib/catalog/errors',
  'lib/catalog',
  'lib/platform/metrics',
  'lib/platform',
  'lib/platform/concurrency',
  'lib/platform/tracing',
  'lib/platform/threads',
  'lib/platform/database',
  'lib/platform/storage',
  'lib/platform/upstream',
  'lib/platform/chromium',
  'lib/payments/receipts',
  'lib/payments',
  'lib/ledger/state-machine',
  'lib/ledger/states',
  'lib/calls/paid-call',
  'lib/calls/call-store',
  'lib/ledger',
  'lib/discovery',
  'lib/services/research/reader',
  'lib/services/forms/content',
  'lib/services/service',
  'lib/services/abuse-reports',
  ...sharedServices,
  ...services.filter((service) => !sharedServices.includes(service)),
  'lib/services',
  'lib/calls',
  'lib/jobs',
  'lib/http',
  'lib/operator',
  'lib/discovery/mcp',
  'lib/http/server',
  'lib/app',
  'packages/client',
  'packages/paywall',
  'local',
  'packages/seller-check',
  'simulator',
  'app',
  'check-thread.ts',
  'worker.ts',
  'tuppence.ts',
  'server.ts',
  'instrumentation.ts',
];

/** What a folder may not import even though it is in a lower layer. */
const forbidden: Readonly<Record<string, readonly string[]>> = {
  // Services know nothing about requests, and about money only the balance of an account.
  ...Object.fromEntries(services.map((service) => [service, ['lib/http', 'lib/payments', 'lib/ledger']])),
  'lib/services/accounts': ['lib/http'],
  // For any app: it has nothing of this service.
  'packages/paywall': ['app', 'lib/app', 'lib/operator', 'lib/services', 'packages/client'],
  // A program of its own, which talks HTTP.
  'packages/client': [
    'lib/platform/database',
    'lib/http',
    'lib/ledger',
    'lib/payments',
    'lib/app',
    'lib/http/server',
    'lib/operator',
  ],
};

/** What services may ask the ledger: about the calls that their rows belong to. */
const openToServices = ['lib/ledger/calls-of-services'];

/** Folders that are not installed in production. Nothing else imports them, and of anything else they may import only types. */
const developmentOnly = ['local', 'packages/seller-check'];

/**
 * The one place that imports from the tests at run time: the simulator of the site runs the simulation of the tests in the
 * browser. Only its bundle loads it (scripts/build-simulator.mjs); the server has `simulator/faults` alone.
 */
const runsSimulation = { layer: 'simulator', simulation: 'tests/simulation' };

const isWithin = (module: string, place: string) => module === place || module.startsWith(`${place}/`);

/** The layer of a file or module: the most specific one that contains it. */
function findLayer(module: string): string | undefined {
  return layers.filter((layer) => isWithin(module, layer)).sort((a, b) => b.length - a.length)[0];
}

const moduleOf = (file: string) => (layers.includes(file) ? file : file.replace(/\.[a-z.]+$/, ''));

for (const [height, layer] of layers.entries()) {
  test(`${layer} imports only what lies below it`, () => {
    const files = listFiles(/\.(ts|tsx|mjs)$/).filter((file) => findLayer(moduleOf(file)) === layer);
    expect(files, 'the rule is about something').not.toEqual([]);
    const offences = files.flatMap((file) =>
      findReferences(file)
        .filter(({ target, isPackage, isTypeOnly }) => {
          if (isPackage) return false;
          if (layer === runsSimulation.layer && isWithin(target, runsSimulation.simulation)) return false;
          const other = findLayer(target);
          if (other === undefined) return true;
          if (other === layer) return false;
          if (developmentOnly.includes(other) && !developmentOnly.includes(layer)) return true;
          if (developmentOnly.includes(layer) && !developmentOnly.includes(other)) return !isTypeOnly;
          if (!openToServices.includes(target) && forbidden[layer]?.some((place) => isWithin(target, place)))
            return true;
          return layers.indexOf(other) > height;
        })
        .map(({ target }) => `${file} imports ${target}`),
    );
    expect(offences).toEqual([]);
  });
}

test('only the browser script of the simulator loads more of it than its list of faults', () => {
  const loading = listFiles(/^(app|lib|packages|scripts)\/.*\.(ts|tsx|mjs)$/).filter((file) =>
    findReferences(file).some(
      ({ target, isTypeOnly }) =>
        !isTypeOnly && isWithin(target, 'simulator') && target !== 'simulator/faults',
    ),
  );
  expect(loading.filter((file) => !file.startsWith('app/_site/browser/simulator/'))).toEqual([]);
  expect(loading, 'the rule is about something').not.toEqual([]);
});

test('every file of lib belongs to a layer', () => {
  expect(listFiles(/^(app|lib)\/.*\.(ts|tsx|mjs)$/).filter((file) => !findLayer(moduleOf(file)))).toEqual([]);
});

test('no two files about money have the same name', () => {
  const names = listFiles(/^lib\/(calls|payments|ledger)\//).map((file) => basename(file));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('the catalog needs no package but zod', () => {
  const packages = listFiles(/^lib\/catalog\/.*\.ts$/).flatMap((file) =>
    findReferences(file).filter(({ isPackage }) => isPackage),
  );
  expect([...new Set(packages.map(({ target }) => target))]).toEqual(['zod']);
});

test('a paid call runs without HTTP, SQL and settings', () => {
  // Types of what is handed in may be named; what is loaded with them counts.
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { target, isPackage, isTypeOnly } of findReferences(file)) {
      if (isTypeOnly) continue;
      if (isPackage) loaded.add(target);
      else load([`${target}.ts`, `${target}/index.ts`].find(existsSync) ?? target);
    }
  };
  for (const file of listFiles(/^lib\/calls\/.*\.ts$/)) load(file);
  const others =
    /^(node:http|next|pg|@prisma|lib\/(http|services|ledger\/(?!states|state-machine)|platform\/(settings|database\/(?!generated\/enums))))/;
  expect([...loaded].filter((module) => others.test(module))).toEqual([]);
  const bags = listFiles(/^lib\/calls\/.*\.ts$/).filter((file) =>
    /\b\w*App\b|\bPlatform\b|\bsettings\b/.test(read(file)),
  );
  expect(bags).toEqual([]);
});

/** Where the app is put together, and tables whose functions get it. */
const namesWholeApp = [
  /^lib\/app\//,
  /^lib\/services\/index\.ts$/,
  /^lib\/jobs\/jobs\.ts$/,
  /^lib\/http\/(http-app|free-handler|free-operations|wallet-lists)\.ts$/,
  /^lib\/http\/server\/(answer-path|front-door|listener|serve|serve-under-framework)\.ts$/,
  /^lib\/operator\/(operator-app|commands\/command|console\/index|doctor\/examine-installation)\.ts$/,
];

test('the type of the whole app is named only where it is put together and in tables', () => {
  const whole = /\b(ServicesApp|HttpApp|ServedApp|JobsApp|OperatorApp)\b|'@\/lib\/app'/;
  const code = (file: string) => read(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  const offences = listFiles(/^lib\/.*\.ts$/)
    .filter((file) => !namesWholeApp.some((place) => place.test(file)))
    .filter((file) => whole.test(code(file)));
  expect(offences).toEqual([]);
});

test('a function uses at most eight parts of the app', () => {
  const declared = /interface (\w+Deps)(?: extends ([^{]*?))? \{([^}]*)\}/g;
  const parts = listFiles(/^lib\/.*\.ts$/).flatMap((file) =>
    [...read(file).matchAll(declared)].map(([, name, extended = '', fields = '']) => {
      const picked = extended.match(/'\w+'/g)?.length ?? 0;
      const whole = extended.replaceAll(/Pick<[^>]*>/g, '').match(/\w+/g)?.length ?? 0;
      return { name, count: picked + whole + (fields.match(/^ {2}readonly /gm)?.length ?? 0) };
    }),
  );
  expect(parts.length, 'the rule is about something').toBeGreaterThan(50);
  expect(parts.filter(({ count }) => count > 8)).toEqual([]);
});

test('services know neither the framework nor a chain', () => {
  const offences = services.flatMap((service) =>
    listFiles(new RegExp(`^${service}/.*\\.ts$`)).flatMap((file) =>
      findReferences(file)
        .filter(({ target }) => /^(next|react|viem|secp256k1|@solana|@x402)($|\/)/.test(target))
        .map(({ target }) => `${file} imports ${target}`),
    ),
  );
  expect(offences).toEqual([]);
});

test('nothing in lib reads the environment or the wall clock: both are handed in', () => {
  const edges = ['lib/platform/clock.ts', 'lib/operator/commands/audit.ts'];
  const reads = /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bprocess\.env\b(?!\.(PATH|NODE_ENV)\b)/;
  const offences = listFiles(/^lib\/.*\.ts$/)
    .filter((file) => !edges.includes(file) && !/\/(in-page|generated)\//.test(file))
    .filter((file) => reads.test(read(file).replaceAll(/`[^`]*`/g, 'text')));
  expect(offences).toEqual([]);
});

test('waits go through the clock, except limits on a process, a socket or a single call', () => {
  const allowed = [
    'lib/platform/clock.ts',
    'lib/platform/chromium/browser.ts',
    // Other processes judge a heartbeat by the database's clock.
    'lib/platform/database/instance.ts',
    'lib/services/research/reader/egress/dial.ts',
    // Node closes the process's idle connections only when asked.
    'lib/http/server/drain.ts',
    'lib/platform/storage/vercel-blob.ts',
    'lib/platform/upstream/circuit-breakers.ts',
  ];
  const timers = listFiles(/^lib\/.*\.ts$/).filter((file) =>
    /(?<!\.)\bset(Timeout|Interval)\b/.test(read(file)),
  );
  expect(timers.toSorted()).toEqual(allowed.toSorted());
});

test('nothing in lib is recognized by the name of its class', () => {
  const offences = listFiles(/^lib\/.*\.ts$/).filter((file) => /\.name === '[A-Z]\w*Error'/.test(read(file)));
  expect(offences).toEqual([]);
});

test('tests of folders that use no page take their runner without the recording of pages', () => {
  const offences = listFiles(/^tests\/(reader|render|repo|simulation|unit)\/.*\.spec\.ts$/).filter((file) =>
    /import \{[^}]*\btest\b[^}]*\} from '@playwright\/test'/.test(read(file)),
  );
  expect(offences).toEqual([]);
});

test('the tests’ bundle has every part of a package that they import', () => {
  const packageOf = (specifier: string) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  const bundled = new Set(testPackages.map(packageOf));
  const files = listFiles(/^(lib|local|packages|tests\/).*\.ts$/);
  const missing = files.flatMap((file) =>
    findReferences(file)
      .filter(
        ({ target, isPackage, isTypeOnly }) => isPackage && !isTypeOnly && bundled.has(packageOf(target)),
      )
      .filter(({ target }) => !testPackages.includes(target))
      .map(({ target }) => `${file}: ${target} is not in local/test-packages.mjs`),
  );
  expect(missing).toEqual([]);
});
