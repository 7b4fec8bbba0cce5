import { z } from 'zod';
import { operations } from '@/lib/catalog';
import { accessLogSettings } from './access-log-settings';
import { channelSettings } from './channel-settings';
import { tokenProblems, tokenSettings } from './console-operators';
import { facilitatorSettings } from './facilitator-settings';
import { type MisspeltSetting, misspeltSettings } from './misspelt-settings';
import { ownKeyProblems } from './own-keys';
import { operatorSettings } from './public-operator';
import {
  apiKey,
  databaseUrl,
  dataKey,
  decimalNumber,
  evmAddress,
  evmKey,
  evmUrls,
  listOf,
  oneOf,
  secret,
  solanaAddress,
  solanaKey,
  url,
  wholeNumber,
  yesOrNo,
} from './setting-rules';
import { byNetwork, coinNames, evmNetworkSettings, networkSettings } from './settings-by-network';
import { tracingSettings } from './tracing-settings';

const blocks = wholeNumber(1, 1_000_000);
/** An amount of money that may be at risk. */

/** The programs of smart wallets that may pay on Solana unless the operator lists others: those of Squads and Swig. */
const smartWalletPrograms = [
  'SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf',
  'SMRTzfY6DfH5ik3TKiyLFfXexV8uSG3d2UksSCYdunG',
  'SWiGmQedKzMz1tiTqoJCWeGDnGXfNBp2PkXLkpCAtQo',
  'swigypWHEksbC64pWKwah1WTeh9JXwx8H1rJHLdbQMB',
];

/** The settings of optional features. */
const optional = [channelSettings];

/** The ids of operations that third parties carry out. */
const forwarded = operations.filter(({ providers }) => providers).map(({ id }) => id);

/** The networks that payments are accepted on: those where USDC has value, or test networks. */
const networkSets = ['main', 'test'] as const;
export type NetworkSet = (typeof networkSets)[number];

/** The settings that each store requires. */
const storageSettings = {
  disk: [],
  s3: ['S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  'vercel-blob': ['BLOB_READ_WRITE_TOKEN'],
} as const;

/** Every setting of the server, in the order in which `.env.example` describes them; a test compares the two. */
export const settingsSchema = z
  .object({
    // What every server needs.
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: url,
    FILES_URL: url,
    DATA_KEY: listOf(dataKey),
    // Where payments go, and who submits them.
    NETWORKS: oneOf(networkSets).default('main'),
    PAY_TO_EVM: evmAddress.optional(),
    PAY_TO_SOLANA: solanaAddress.optional(),
    BASE_RPC_URL: evmUrls.optional(),
    POLYGON_RPC_URL: evmUrls.optional(),
    ARBITRUM_RPC_URL: evmUrls.optional(),
    SOLANA_RPC_URL: listOf(url).optional(),
    SETTLEMENT_KEYS_EVM: listOf(evmKey).optional(),
    SETTLEMENT_KEY_SOLANA: solanaKey.optional(),
    ...facilitatorSettings,
    // Providers of third-party data.
    EXA_API_KEY: apiKey.optional(),
    EXA_BASE_URL: url.default('https://api.exa.ai'),
    FIRECRAWL_API_KEY: apiKey.optional(),
    FIRECRAWL_BASE_URL: url.default('https://api.firecrawl.dev'),
    SERPER_API_KEY: apiKey.optional(),
    SERPER_BASE_URL: url.default('https://google.serper.dev'),
    DUFFEL_API_KEY: apiKey.optional(),
    DUFFEL_BASE_URL: url.default('https://api.duffel.com'),
    SEARXNG_URL: url.optional(),
    OPERATIONS_OFF: listOf(
      z.enum(forwarded, 'must be the ids of operations of third parties, such as neural.findSimilar'),
    ).optional(),
    PROBE_PROVIDERS: yesOrNo.default(true),
    // Who runs it.
    ...operatorSettings,
    ...tokenSettings,
    SOURCE_URL: url.optional(),
    SOURCE_EDIT_URL: url.optional(),
    COIN_PRICES: byNetwork(coinNames, () => decimalNumber(0, 1_000_000), 'COIN'),
    STATUS_COUNTS: oneOf(['shown', 'hidden']).default('shown'),
    // Where it runs.
    HOST: z.string().default('0.0.0.0'),
    PORT: wholeNumber(0, 65535).default(3402),
    TRUSTED_PROXIES: wholeNumber(0, 10).default(0),
    PROCESSES: wholeNumber(1, 64).default(1),
    DATABASE_POOL: wholeNumber(3, 500).default(20),
    WORKER: oneOf(['in-process', 'separate']).default('in-process'),
    CRON_SECRET: secret(16).optional(),
    LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    ...accessLogSettings,
    ...tracingSettings,
    STORAGE: oneOf(['disk', 's3', 'vercel-blob']).default('disk'),
    STORAGE_DIR: z.string().default('.tuppence/files'),
    S3_ENDPOINT: url.optional(),
    S3_BUCKET: z.string().optional(),
    S3_REGION: z.string().optional(),
    S3_ACCESS_KEY_ID: z.string().optional(),
    S3_SECRET_ACCESS_KEY: z.string().optional(),
    BLOB_READ_WRITE_TOKEN: z
      .string()
      .regex(/^vercel_blob_rw_[A-Za-z0-9]+_[A-Za-z0-9]+$/, 'must be the token of a Vercel Blob store')
      .optional(),
    CHROMIUM_PATH: z.string().optional(),
    RENDER_BROWSERS: wholeNumber(1, 64).default(2),
    RENDER_QUEUE: wholeNumber(0, 1000).default(32),
    READER_BROWSERS: wholeNumber(1, 64).default(2),
    READER_QUEUE: wholeNumber(0, 1000).default(32),
    READER_WITHOUT_SANDBOX: yesOrNo.default(false),
    WEB_BOT_AUTH: yesOrNo.default(false),
    // Limits.
    RATE_LIMIT_FACTOR: decimalNumber(0, 1_000_000).default(1),
    UNCHARGED_WORK_FACTOR: decimalNumber(0, 1_000_000).default(1),
    LINK_DOWNLOADS_PER_DAY: wholeNumber(0, 1_000_000_000).default(10_000),
    LINK_GIB_PER_DAY: decimalNumber(0, 1_000_000).default(20),
    FORM_WAITS_MAX: wholeNumber(0, 1_000).default(20),
    WORKLIST_LIMIT: wholeNumber(0, 1_000).default(20),
    // Details of payments.
    REFUNDS_FROM_EVM: listOf(evmAddress).optional(),
    REFUNDS_FROM_SOLANA: listOf(solanaAddress).optional(),
    FINALITY_BLOCKS: byNetwork(evmNetworkSettings, () => blocks),
    AUDIT_FROM_BLOCK: byNetwork(networkSettings, () => wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    SOLANA_WALLET_PROGRAMS: z
      .union([z.literal('none').transform(() => []), listOf(solanaAddress)])
      .prefault(smartWalletPrograms.join(',')),
    USDC_ADDRESS: byNetwork(networkSettings, (name) => (name === 'SOLANA' ? solanaAddress : evmAddress)),
    MPP_REALM: apiKey.max(255, 'must have at most 255 characters').optional(),
    MPP_SECRETS: listOf(secret(32)).optional(),
    MPP_CREDENTIAL_HEADER: oneOf(['Authorization', 'Payment-Authorization']).default('Authorization'),
    ...channelSettings.shape,
  })
  .superRefine((env, context) => {
    const offersEvm = env.BASE_RPC_URL || env.POLYGON_RPC_URL || env.ARBITRUM_RPC_URL;
    if (!offersEvm && !env.SOLANA_RPC_URL) {
      context.addIssue({
        code: 'custom',
        path: ['BASE_RPC_URL'],
        message: 'set the RPC of at least one network',
      });
    }
    if (offersEvm && !env.PAY_TO_EVM) {
      context.addIssue({ code: 'custom', path: ['PAY_TO_EVM'], message: 'is required for EVM networks' });
    }
    if (env.SOLANA_RPC_URL && !env.PAY_TO_SOLANA) {
      context.addIssue({ code: 'custom', path: ['PAY_TO_SOLANA'], message: 'is required for Solana' });
    }
    for (const name of storageSettings[env.STORAGE]) {
      if (env[name]) continue;
      context.addIssue({ code: 'custom', path: [name], message: `is required for STORAGE=${env.STORAGE}` });
    }
    const problems = [
      ...optional.flatMap(({ problemsOf }) => problemsOf(env)),
      ...ownKeyProblems(
        env,
        optional.flatMap(({ keysOf }) => keysOf(env)),
      ),
      ...tokenProblems(env),
    ];
    for (const { name, message } of problems) context.addIssue({ code: 'custom', path: [name], message });
    // An address that is none has a problem already.
    const [publicHost, filesHost] = [env.PUBLIC_URL, env.FILES_URL].map((address) =>
      URL.canParse(address) ? new URL(address).host : undefined,
    );
    if (publicHost !== undefined && publicHost === filesHost) {
      context.addIssue({
        code: 'custom',
        path: ['FILES_URL'],
        message: 'must have a different host than PUBLIC_URL, because files come from strangers',
      });
    }
  });

export type Settings = z.output<typeof settingsSchema>;

/** What is wrong with a setting. */
export interface SettingProblem {
  readonly name: string;
  readonly message: string;
}

/** Reads settings, or lists every missing or malformed one, without any value. */
export function readSettings(
  source: Record<string, string | undefined>,
): { readonly settings: Settings } | { readonly problems: readonly SettingProblem[] } {
  const present = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = settingsSchema.safeParse(present, {
    error: ({ input }) => (input === undefined ? 'is required' : undefined),
  });
  const issues = parsed.success ? [] : parsed.error.issues;
  // Beside other problems, a misspelt name may be the cause of one.
  const misspelt = misspeltIn(source).filter(({ isAboutMoney }) => isAboutMoney || !parsed.success);
  if (parsed.success && misspelt.length === 0) return { settings: parsed.data };
  return {
    problems: [
      ...misspelt.map(({ name, message }) => ({ name, message })),
      ...issues.map(({ path, message }) => problemAt(present, path, message)),
    ],
  };
}

/** Environment variables that look like settings, and are none. */
export function misspeltIn(source: Record<string, string | undefined>): MisspeltSetting[] {
  return misspeltSettings(source, Object.keys(settingsSchema.shape));
}

/** Names one of several values by its place. */
function problemAt(
  source: Record<string, string | undefined>,
  [name, index]: readonly PropertyKey[],
  message: string,
): SettingProblem {
  const count = source[String(name)]?.split(',').length ?? 1;
  const which = typeof index === 'number' && count > 1 ? `value ${index + 1} of ${count} ` : '';
  return { name: String(name), message: which + message };
}

/** Parses settings; throws one Error that lists every missing or malformed one, without any value. */
export function parseSettings(source: Record<string, string | undefined>): Settings {
  const read = readSettings(source);
  if ('settings' in read) return read.settings;
  const lines = read.problems.map(({ name, message }) => `  ${name}: ${message}`);
  throw new Error(`The configuration is not valid:\n${lines.join('\n')}\nSee .env.example.`);
}
