import { promises } from './promises';

/**
 * The two tiers of tests. `npm test` runs the default tier: what shows, within minutes, that a change is right. `npm run test:full`
 * runs the rest. A test file that is named on the command line runs whole.
 */
export type Tier = 'default' | 'full';

/** The tier of this run; undefined runs both. */
export const tierOfRun: Tier | undefined = tierOf(process.env.TEST_TIER);

function tierOf(value: string | undefined): Tier | undefined {
  if (value === undefined || value === 'default' || value === 'full') return value;
  throw new Error('TEST_TIER must be default or full');
}

/** Elsewhere these files are in the full tier, because they enumerate, build, or start programs and browsers many times. */
const fullElsewhere = [
  'api/billing',
  'api/bought-before',
  'api/contract-wallets',
  'api/dry-run',
  'api/first-call',
  'api/form-links',
  'api/form-posts',
  'api/forms-erasure',
  'api/function-host',
  'api/guide-lost-answers',
  'api/guides',
  'api/held-connections',
  'api/held-documents',
  'api/hostile-headers',
  'api/listener',
  'api/markdown-links',
  'api/mcp-messages',
  'api/operator-limits',
  'api/own-reader',
  'api/package-names',
  'api/paywall',
  'api/paywall-faults',
  'api/paywall-next',
  'api/paywall-package',
  'api/paywall-postgres',
  'api/paywall-solana',
  'api/rate-limits',
  'api/sample-retries',
  'api/shared-cache',
  'api/skills',
  'api/start',
  'api/started-by-next',
  'api/stores',
  'api/take-down',
  'api/test-networks',
  'api/tracing',
  'api/typed-clients',
  'api/uncharged-work',
  'api/upload-reservations',
  'api/validators',
  'api/wallet-lists',
  'api/wallet-sign-in',
  'fuzz/*',
  'local/*',
  'mcp/client-commands',
  'mcp/client-money',
  'mcp/files',
  'mcp/install',
  'mcp/lost-answers',
  'mcp/state',
  'model/mistakes',
  'operator/calls',
  'operator/channels',
  'operator/console-actions',
  'operator/doctor',
  'operator/export',
  'operator/figures',
  'operator/named-operators',
  'operator/nginx',
  'operator/personal-data',
  'operator/receipts',
  'operator/rehearse-restore',
  'pages/browser-clients',
  'pages/console',
  'pages/deposit-choices',
  'pages/docs',
  'pages/file-reports',
  'pages/forms-accessible',
  'pages/legal',
  'pages/page-payments',
  'pages/receipts',
  'pages/reference',
  'pages/simulator',
  'pages/status',
  'pages/try-it',
  'providers/official-clients',
  'reader/bot-identity',
  'reader/composed-pages',
  'reader/confinement',
  'reader/declared-pages',
  'reader/documents',
  'reader/own-contents',
  'reader/pages',
  'reader/refusals',
  'reader/saved-pages',
  'render/endurance',
  'render/fitting',
  'render/forbidden',
  'render/lost-content',
  'render/pdf-ua',
  'render/scripts',
  'render/silence',
  'repo/adapter-build',
  'repo/adding-an-operation',
  'repo/app-clock',
  'repo/built-routes',
  'repo/channel-books',
  'repo/channel-readings',
  'repo/channel-refunds',
  'repo/channel-write-offs',
  'repo/credited-deposits',
  'repo/finality',
  'repo/gas-in-vain',
  'repo/journal-pairs',
  'repo/ledger-audit',
  'repo/ledger-plans',
  'repo/link-traffic',
  'repo/packages',
  'repo/refund-many',
  'repo/refund-store',
  'repo/regular-expressions',
  'repo/responses-csv-in-a-spreadsheet',
  'repo/retention',
  'repo/typed-client-errors',
  'repo/wallet-lists',
  'simulation/channel-histories',
  'simulation/solana-comparison',
];

/** In the full tier, after everything else: it takes what time is left. */
const lastOfFull = ['simulation/more-histories'];

/**
 * For a test that only the full tier runs, in a file of the default tier: a member of a table beyond its sample. Also see
 * `sample`.
 */
export const fullOnly = { tag: '@full' } as const;

/** Details of a test made from a table: the default tier runs it only if it is in the sample. */
export const sample = (isInSample: boolean): { tag?: '@full' } => (isInSample ? {} : fullOnly);

/** The same for a test made for each network: those of one family differ only in their settings. */
export const networkSample = (name: string): { tag?: '@full' } =>
  sample(name === 'base' || name === 'solana-mainnet');

const ofFullOnly = /@full/;

/** Which tests of its files a run leaves out. */
export const leftOut = (tier: Tier | undefined): RegExp[] => (tier === 'default' ? [ofFullOnly] : []);

/** The files with these names, of which `*` is all of a folder. One expression: the runner tries each on every file. */
const filesOf = (names: readonly string[]) =>
  new RegExp(`/tests/(${names.map((name) => escaped(name).replace('\\*', '[^/]*')).join('|')})\\.spec\\.ts$`);

interface Files {
  readonly testMatch?: RegExp;
  readonly testIgnore?: RegExp[];
  readonly grep?: RegExp;
  readonly grepInvert?: RegExp[];
}

/** The tests of `tests/recovery` in the default tier, as the name of the file and the title. */
export const recoveryInDefault = promises.flatMap(({ tests }) =>
  Object.entries(tests).flatMap(([file, titles]) => titles.map((title) => [file, title] as const)),
);

/** Matches what the runner calls these tests: project, file, title and tags. */
const ofPromises = new RegExp(
  `\\b(${recoveryInDefault.map(([file, title]) => escaped(`${file}.spec.ts ${title}`)).join('|')})( @|$)`,
);

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Whether this run has a test of `tests/recovery`, by the name of its file and its title. */
export const isRecoveryTestInRun = (file: string, title: string): boolean =>
  tierOfRun !== 'default' || recoveryInDefault.some(([name, other]) => name === file && other === title);

const isRecovery = /\/tests\/recovery\//;

const inDefaultTier = { testIgnore: [isRecovery, filesOf(fullElsewhere), filesOf(lastOfFull)] };

/** For projects of recovery tests: which files, and which tests of these, they have in this run. */
export function recoveryFiles(tier: Tier | undefined): Files[] {
  const inDefault = filesOf([...new Set(recoveryInDefault.map(([file]) => `recovery/${file}`))]);
  if (tier === undefined) return [{}];
  if (tier === 'default') return [{ testMatch: inDefault, grep: ofPromises }];
  return [{ testIgnore: [inDefault] }, { testMatch: inDefault, grepInvert: [ofPromises] }];
}

/** They compute and wait for nothing, so they fill the time in which other tests wait. */
const computing = /\/tests\/simulation\/[^/]+\.spec\.ts$/;

/** For a project of tests that run beside all others, in the default tier. */
export const filesBesideOthers = (tier: Tier | undefined): Files[] =>
  tier === 'default' ? [{ ...inDefaultTier, testMatch: computing }] : [];

/** For projects of all other tests: which files, and which tests of these, they have in this run. */
export function otherFiles(tier: Tier | undefined): Files[] {
  if (tier === undefined) return [{ testIgnore: [isRecovery] }];
  if (tier === 'default') return [{ testIgnore: [...inDefaultTier.testIgnore, computing] }];
  return [
    { testMatch: filesOf(fullElsewhere), testIgnore: [isRecovery] },
    { ...inDefaultTier, grep: ofFullOnly },
    { testMatch: filesOf(lastOfFull) },
  ];
}
