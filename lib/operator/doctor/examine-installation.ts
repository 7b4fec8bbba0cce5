import type { PausedOperations } from '@/lib/ledger/paused-operations';
import type { Platform } from '@/lib/platform/platform';
import type { Settings } from '@/lib/platform/settings';
import type { OperatorApp } from '../operator-app';
import { checkAudit } from './audit';
import { checkProviders, checkReader, checkRenderer, checkStore } from './check-installation';
import { checkNetworks } from './check-networks';
import { checkDatabase } from './database';
import { type Finding, failed, ok, skipped, warning } from './finding';
import { checkListings } from './listings';
import { checkPublicAddresses } from './public-addresses';

/** Settings that are each valid but do not fit together, or do not suit a public service. */
function checkSettings(settings: Settings): Finding[] {
  const found = [
    ...checkAddresses(settings),
    ...checkSecrets(settings),
    ...(isLocal(settings.PUBLIC_URL) ? [] : checkTokens(settings)),
    ...checkOperator(settings),
  ];
  return found.length === 0 ? [ok('settings', 'every setting is valid')] : found;
}

const isLocal = (url: string) => /^(localhost|127\.|\[::1\])/.test(new URL(url).host);

function checkAddresses({ PUBLIC_URL, FILES_URL, TRUSTED_PROXIES }: Settings): Finding[] {
  const found: Finding[] = [];
  for (const [name, url] of Object.entries({ PUBLIC_URL, FILES_URL })) {
    if (isLocal(url) || url.startsWith('https:')) continue;
    found.push(
      failed(name, `${url} is not encrypted, and payments are signed for it`, `Set ${name} to an https URL.`),
    );
  }
  if (PUBLIC_URL.startsWith('https:') && TRUSTED_PROXIES === 0) {
    found.push(
      warning(
        'TRUSTED_PROXIES',
        'the server speaks http, so a proxy serves PUBLIC_URL, and all its callers share the rate limits of one address',
        'Set TRUSTED_PROXIES to the number of proxies in front of the server.',
      ),
    );
  }
  return found;
}

function checkSecrets({ DATA_KEY, SETTLEMENT_KEYS_EVM = [], PUBLIC_URL }: Settings): Finding[] {
  const found: Finding[] = [];
  const isGuessable = (key: string) => new Set(Buffer.from(key, 'base64')).size < 8;
  if (!isLocal(PUBLIC_URL) && DATA_KEY.some(isGuessable)) {
    found.push(
      failed(
        'DATA_KEY',
        'a key is not random',
        'Make one with: node -p "crypto.randomBytes(32).toString(\'base64\')"',
      ),
    );
  }
  if (new Set(SETTLEMENT_KEYS_EVM).size < SETTLEMENT_KEYS_EVM.length) {
    found.push(warning('SETTLEMENT_KEYS_EVM', 'a key is listed twice', 'List each key once.'));
  }
  return found;
}

/** People who pay want to know whom they pay, and some laws require it. */
function checkOperator({ PUBLIC_URL, OPERATOR_NAME, OPERATOR_EMAIL }: Settings): Finding[] {
  if (isLocal(PUBLIC_URL)) return [];
  const found: Finding[] = [];
  if (OPERATOR_NAME === undefined)
    found.push(
      warning(
        'OPERATOR_NAME',
        'the pages about terms and privacy say that nobody is named as the operator',
        'Set it to your name or that of your company (docs/legal-pages.md).',
      ),
    );
  if (OPERATOR_EMAIL === undefined)
    found.push(
      warning(
        'OPERATOR_EMAIL',
        'nobody can ask for a refund or report a vulnerability',
        'Set it to an address that somebody reads.',
      ),
    );
  return found;
}

/** Tokens that are easy to guess, or that open more than their holders need. */
export function checkTokens(settings: Settings): Finding[] {
  const { OPERATOR_TOKEN, METRICS_TOKEN, CRON_SECRET } = settings;
  const found: Finding[] = [];
  for (const [name, token] of Object.entries({ OPERATOR_TOKEN, METRICS_TOKEN, CRON_SECRET })) {
    if (token === undefined || new Set(token).size >= 8) continue;
    found.push(
      failed(
        name,
        'it is easy to guess',
        'Make one with: node -p "crypto.randomBytes(24).toString(\'base64url\')"',
      ),
    );
  }
  if (OPERATOR_TOKEN !== undefined && METRICS_TOKEN === undefined) {
    found.push(
      warning(
        'METRICS_TOKEN',
        'it is not set, so OPERATOR_TOKEN opens /metrics, and anyone who can read the metrics can sign in to the console',
        'Set it to a token of its own, and give that to Prometheus.',
      ),
    );
  }
  if (CRON_SECRET !== undefined && [OPERATOR_TOKEN, METRICS_TOKEN].includes(CRON_SECRET)) {
    found.push(
      warning(
        'CRON_SECRET',
        'it is also the token of the console or of the metrics, so the scheduler can use them',
        'Make another one.',
      ),
    );
  }
  return found;
}

/** The parts of an installation, in the order in which they are checked. */
export const parts = [
  'settings',
  'database',
  'worklist',
  'audit',
  'networks',
  'store',
  'renderer',
  'providers',
  'addresses',
  'listings',
] as const;
export type Part = (typeof parts)[number];

const checks: Readonly<Record<Part, (app: OperatorApp) => Promise<Finding[]>>> = {
  settings: async ({ settings }) => checkSettings(settings),
  database: (app) => checkDatabase(app, app.clock.now),
  worklist: checkWorklist,
  audit: async (app) => [await checkAudit(app)],
  networks: checkNetworks,
  store: async (app) => [await checkStore(app)],
  renderer: async (app) => [await checkRenderer(app), ...(await checkReader(app))],
  providers: checkProviders,
  addresses: checkPublicAddresses,
  listings: checkListings,
};

/**
 * Checks parts of an installation, and yields the findings. Changes nothing except a small object in the store, which is
 * removed again.
 */
export async function* examine(app: OperatorApp, wanted: readonly Part[] = parts): AsyncGenerator<Finding> {
  for (const part of parts.filter((one) => wanted.includes(one))) yield* await checks[part](app);
}

interface CheckWorklistDeps extends Pick<Platform, 'settings'> {
  readonly pausedOperations: PausedOperations;
}

/** Reports the operations that are paused because too many of their calls wait for the operator. */
async function checkWorklist({ pausedOperations, settings }: CheckWorklistDeps): Promise<Finding[]> {
  const about = `WORKLIST_LIMIT=${settings.WORKLIST_LIMIT}`;
  try {
    await pausedOperations.refresh();
  } catch {
    return [skipped(about, 'the worklist cannot be read')];
  }
  const paused = pausedOperations.all;
  if (paused.length === 0) return [ok(about, 'no operation is paused')];
  return paused.map(({ operation, calls }) =>
    failed(
      about,
      `${operation} is paused, because ${calls} of its paid calls could not be delivered`,
      'Run tuppence worklist, remove the cause, and refund the calls. Sales continue by themselves then.',
    ),
  );
}
