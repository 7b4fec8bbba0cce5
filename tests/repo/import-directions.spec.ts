import { readdirSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { findReferences, listFiles } from './sources';

/** Rooms that are not a service; every other folder of lib is one. */
const rooms = [
  'catalog',
  'chromium',
  'db',
  'discovery',
  'http',
  'ledger',
  'local',
  'operator',
  'payments',
  'public-address',
  'runtime',
  'server',
  'storage',
  'threads',
  'upstream',
];
const services = readdirSync('lib', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !rooms.includes(entry.name))
  .map((entry) => `lib/${entry.name}`);

/** What every room of the server may stand on. */
const ground = [
  'lib/client-network',
  'lib/data-key',
  'lib/env',
  'lib/fair-queue',
  'lib/fair-semaphore',
  'lib/group-commit',
  'lib/lasting-condition',
  'lib/ids',
  'lib/log',
  'lib/process-wide',
];

/**
 * What the files of a room may import, beside the room itself: a folder with everything in it, or one module. `types`
 * may be known, but nothing of them may be run.
 */
const directions: Record<string, { imports: readonly string[]; types?: readonly string[] }> = {
  app: {
    imports: [
      ...['lib/catalog', 'lib/discovery', 'lib/env', 'lib/http', 'lib/operator/cron-route'],
      ...['lib/operator/services', 'lib/runtime/payments', 'lib/upstream/availability', ...services],
    ],
  },
  // Addresses that callers name are judged by the rule that the reader connects by.
  'lib/catalog': { imports: ['lib/public-address'] },
  'lib/chromium': { imports: ground },
  'lib/db': { imports: ground },
  'lib/discovery': { imports: ['lib/catalog', 'lib/payments/money', 'lib/payments/networks'] },
  'lib/http': {
    imports: [
      ...[...ground, 'lib/catalog', 'lib/db', 'lib/ledger', 'lib/payments', 'lib/runtime', 'lib/service'],
      'lib/storage/health',
      'lib/threads',
      'lib/upstream/availability',
    ],
  },
  'lib/ledger': {
    imports: [...ground, 'lib/catalog', 'lib/db', 'lib/payments/payment'],
    types: ['lib/payments'],
  },
  'lib/local': { imports: [], types: ['lib'] },
  'lib/operator': {
    imports: [
      ...[...ground, 'lib/catalog', 'lib/db', 'lib/http', 'lib/ledger', 'lib/payments', 'lib/runtime'],
      ...['lib/service', 'lib/storage', ...services],
    ],
  },
  'lib/payments': { imports: [...ground, 'lib/catalog'] },
  'lib/public-address': { imports: [] },
  'lib/runtime': {
    // Whose token a request carries is asked of the accounts.
    imports: [...ground, 'lib/accounts', 'lib/db', 'lib/ledger', 'lib/payments'],
    types: ['lib/catalog'],
  },
  'lib/server': {
    imports: [
      ...ground,
      'lib/catalog',
      'lib/db',
      'lib/http',
      'lib/operator',
      'lib/runtime',
      'lib/storage',
      'lib/threads',
      'lib/upstream/availability',
      ...services,
    ],
    types: ['lib/payments/rail'],
  },
  'lib/service': { imports: [], types: ['lib/catalog', 'lib/threads/requester'] },
  'lib/storage': { imports: [...ground, 'lib/http/api-error'] },
  'lib/threads': { imports: [...ground, 'lib/http/api-error'], types: ['lib/catalog'] },
  'lib/upstream': { imports: [...ground, 'lib/catalog', 'lib/http/api-error'] },
  // It talks HTTP: of the server it has the catalog, and what makes links without asking anybody.
  mcp: {
    imports: ['lib/catalog', 'lib/flights/booking-links', 'lib/http/api-error', 'lib/http/issues'],
  },
  'server.ts': { imports: ['lib/db/migrate', 'lib/env', 'lib/log', 'lib/server'] },
  'worker.ts': { imports: ['lib/db/migrate', 'lib/env', 'lib/log', 'lib/server'] },
  // Judges what others hand it, and needs nothing that a process has once.
  'check-thread.ts': {
    imports: ['lib/catalog', 'lib/forms/content', 'lib/http/judge-input', 'lib/render/check-input'],
    types: ['lib/service'],
  },
  ...Object.fromEntries(ground.map((module) => [module, { imports: ground }])),
  ...Object.fromEntries(
    services.map((service) => [
      service,
      {
        imports: [
          ...[...ground, 'lib/catalog', 'lib/db', 'lib/http/api-error', 'lib/http/error-body'],
          ...['lib/service', 'lib/storage', 'lib/threads', 'lib/upstream'],
          ...(['lib/reader', 'lib/render'].includes(service) ? ['lib/chromium'] : []),
          // What we make ourselves is published like an upload.
          ...(service === 'lib/render' ? ['lib/uploads/held-file'] : []),
          // Pages are read by ourselves where no provider is configured.
          ...(service === 'lib/research' ? ['lib/reader'] : []),
          ...(service === 'lib/reader' ? ['lib/public-address'] : []),
          // Flights go between the airports that we know.
          ...(service === 'lib/flights' ? ['lib/airports/places'] : []),
          // An account tells what it holds, and that the ledger alone knows.
          ...(service === 'lib/accounts'
            ? ['lib/ledger/account-book', 'lib/ledger/account-entries', 'lib/payments/money']
            : []),
        ],
        types: service === 'lib/accounts' ? ['lib/payments/account/rail'] : [],
      },
    ]),
  ),
};

const isWithin = (module: string, place: string) => module === place || module.startsWith(`${place}/`);

function findRoom(file: string): string | undefined {
  const module = file in directions ? file : file.replace(/\.[a-z.]+$/, '');
  return Object.keys(directions).find((room) => isWithin(module, room));
}

for (const [room, { imports, types = [] }] of Object.entries(directions)) {
  test(`${room} imports only what lies below it`, () => {
    const files = listFiles(/\.(ts|tsx|mjs)$/).filter((file) => findRoom(file) === room);
    expect(files, 'the rule is about something').not.toEqual([]);
    const offences = files.flatMap((file) =>
      findReferences(file)
        .filter(({ target, isPackage, isTypeOnly }) => {
          if (isPackage || isWithin(target, room)) return false;
          const allowed = isTypeOnly ? [...imports, ...types] : imports;
          return !allowed.some((place) => isWithin(target, place));
        })
        .map(({ target }) => `${file} imports ${target}`),
    );
    expect(offences).toEqual([]);
  });
}

test('every file of lib belongs to a room with a rule', () => {
  expect(listFiles(/^(app|lib)\/.*\.(ts|tsx|mjs)$/).filter((file) => !findRoom(file))).toEqual([]);
});

test('the catalog needs no package but zod', () => {
  const packages = listFiles(/^lib\/catalog\/.*\.ts$/).flatMap((file) =>
    findReferences(file).filter(({ isPackage }) => isPackage),
  );
  expect([...new Set(packages.map(({ target }) => target))]).toEqual(['zod']);
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
