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

/** Tests that start processes and break them are in the full tier, but for these: one for each promise and kind of failure. */
const recoveryInDefault = [
  'audit',
  'channels',
  'cron',
  'database-restart',
  'expired',
  'gas-budget',
  'history',
  'jobs',
  'kill',
  'late-delivery',
  'lost-answers',
  'lost-settlements',
  'lying-nodes',
  'mcp',
  'pending',
  'receipts',
  'refunds',
  'repeated',
  'reservations',
  'signers',
  'worker',
];

/** Elsewhere these files are in the full tier, because they enumerate, build, or start programs and browsers many times. */
const fullElsewhere = [
  'api/function-host',
  'api/guide-lost-answers',
  'api/guides',
  'api/held-connections',
  'api/sample-retries',
  'api/shared-cache',
  'api/skills',
  'api/started-by-next',
  'api/stores',
  'api/take-down',
  'api/test-networks',
  'api/typed-clients',
  'api/validators',
  'fuzz/*',
  'local/*',
  'mcp/client-commands',
  'mcp/client-money',
  'mcp/install',
  'operator/channels',
  'operator/export',
  'operator/named-operators',
  'operator/nginx',
  'operator/receipts',
  'pages/deposit-choices',
  'pages/legal',
  'reader/confinement',
  'reader/pages',
  'reader/refusals',
  'render/endurance',
  'render/scripts',
  'render/silence',
  'repo/adding-an-operation',
  'repo/ledger-audit',
  'repo/ledger-plans',
  'repo/link-traffic',
  'repo/retention',
];

const globsOf = (names: readonly string[]) => names.map((name) => `**/tests/${name}.spec.ts`);

/** For a project of recovery tests: which files it has in this run. */
export function recoveryFiles(tier: Tier | undefined) {
  const inDefault = globsOf(recoveryInDefault.map((name) => `recovery/${name}`));
  if (tier === 'default') return { testMatch: inDefault };
  return tier === 'full' ? { testIgnore: inDefault } : {};
}

/** For the project of all other tests: which files it has in this run. */
export function otherFiles(tier: Tier | undefined) {
  const isRecovery = '**/tests/recovery/**';
  if (tier === 'default') return { testIgnore: [isRecovery, ...globsOf(fullElsewhere)] };
  return tier === 'full'
    ? { testMatch: globsOf(fullElsewhere), testIgnore: isRecovery }
    : { testIgnore: isRecovery };
}
