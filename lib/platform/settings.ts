import { z } from 'zod';
import { channelSettingProblems, channelSettings } from './channel-settings';
import { operatorSettings } from './operator';
import { readSigningKey } from './signing-key';

const url = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''));
const urls = z
  .string()
  .transform((value) => value.split(',').map((part) => part.trim()))
  .pipe(z.array(url).min(1));
/** Besides its HTTP addresses, an EVM network may have a WebSocket address that reports new blocks. */
const evmUrls = z
  .string()
  .transform((value) => value.split(',').map((part) => part.trim()))
  .pipe(z.array(z.url({ protocol: /^(https?|wss?)$/ })).min(1))
  .refine((values) => values.some((value) => value.startsWith('http')), 'must have an http or https address');
const list = z.string().transform((value) => value.split(',').map((part) => part.trim()));
const evmAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex characters');
const evmKey = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex characters');
const solanaAddress = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a base58 Solana address');
const blocks = z.coerce.number().int().min(1).max(1_000_000);
/** A limit that the operator sets, or a factor for one. 0 usually removes it. */
const numberUpTo = (max: number, rule = `must be a number from 0 to ${max}`) =>
  z.coerce.number(rule).min(0, rule).max(max, rule);
const wholeNumberUpTo = (max: number, rule = `must be a whole number from 0 to ${max}`) =>
  numberUpTo(max, rule).int(rule);
/** An amount of money that may be at risk: a whole or decimal number with up to six decimal places, as USDC has. */
const riskedUsdc = z
  .string()
  .regex(/^\d{1,4}(\.\d{1,6})?$/, 'must be an amount such as 5 or 0.50')
  .refine((value) => Number(value) <= 1_000, 'must be at most 1000');
const dataKey = z
  .string()
  .refine((value) => Buffer.from(value, 'base64').length === 32, 'must be base64 of 32 bytes');
/** Sent in a header unchanged. */
const apiKey = z.string().regex(/^[\x21-\x7e]+$/, 'must be visible ASCII');

/** The networks that payments are accepted on: those where USDC has value, or test networks. */
const networkSets = ['main', 'test'] as const;
export type NetworkSet = (typeof networkSets)[number];

/** The secret of an API key that signs requests to a facilitator. */
const keySecret = z
  .string()
  .refine(
    (value) => readSigningKey(value) !== null,
    'must be the secret of an API key as its platform gives it: base64 of 64 bytes (Ed25519), a P-256 private key in PEM, ' +
      'or payai_sk_ and base64',
  );

/** Where the credentials of facilitators can be set: for one network, or for all. */
const facilitatorScopes = ['X402', 'BASE', 'POLYGON', 'ARBITRUM', 'SOLANA'] as const;

/** The settings that each store requires. */
const storageSettings = {
  disk: [],
  s3: ['S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  'vercel-blob': ['BLOB_READ_WRITE_TOKEN'],
} as const;

/** Every setting of the server. `.env.example` describes each one, and a test compares the two. */
export const settingsSchema = z
  .object({
    DATABASE_URL: z.string().min(1),
    DATABASE_POOL: z.coerce.number().int().min(2).max(500).default(20),
    PUBLIC_URL: url,
    FILES_URL: url,
    HOST: z.string().default('0.0.0.0'),
    PORT: z.coerce.number().int().min(0).max(65535).default(3402),
    PROCESSES: z.coerce.number().int().min(1).max(64).default(1),
    TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
    RATE_LIMIT_FACTOR: numberUpTo(1_000_000).default(1),
    LINK_DOWNLOADS_PER_DAY: wholeNumberUpTo(1_000_000_000).default(10_000),
    LINK_GIB_PER_DAY: numberUpTo(1_000_000).default(20),
    UNCHARGED_WORK_FACTOR: numberUpTo(1_000_000).default(1),
    FORM_WAITS_MAX: wholeNumberUpTo(1_000).default(20),
    WORKLIST_LIMIT: wholeNumberUpTo(1_000).default(20),
    NETWORKS: z.enum(networkSets).default('main'),
    PAY_TO_EVM: evmAddress.optional(),
    PAY_TO_SOLANA: solanaAddress.optional(),
    REFUNDS_FROM_EVM: list.pipe(z.array(evmAddress).min(1)).optional(),
    REFUNDS_FROM_SOLANA: list.pipe(z.array(solanaAddress).min(1)).optional(),
    BASE_RPC_URL: evmUrls.optional(),
    POLYGON_RPC_URL: evmUrls.optional(),
    ARBITRUM_RPC_URL: evmUrls.optional(),
    SOLANA_RPC_URL: urls.optional(),
    BASE_USDC: evmAddress.optional(),
    POLYGON_USDC: evmAddress.optional(),
    ARBITRUM_USDC: evmAddress.optional(),
    SOLANA_USDC: solanaAddress.optional(),
    BASE_FINALITY_BLOCKS: blocks.optional(),
    POLYGON_FINALITY_BLOCKS: blocks.optional(),
    ARBITRUM_FINALITY_BLOCKS: blocks.optional(),
    BASE_PRECONFIRMED_USDC_MAX: riskedUsdc.optional(),
    POLYGON_PRECONFIRMED_USDC_MAX: riskedUsdc.optional(),
    ARBITRUM_PRECONFIRMED_USDC_MAX: riskedUsdc.optional(),
    SETTLEMENT_KEYS_EVM: list.pipe(z.array(evmKey).min(1)).optional(),
    SETTLEMENT_KEY_SOLANA: z.string().min(80).optional(),
    X402_FACILITATOR_URL: url.optional(),
    X402_FACILITATOR_TOKEN: apiKey.optional(),
    X402_FACILITATOR_KEY_ID: apiKey.optional(),
    X402_FACILITATOR_KEY_SECRET: keySecret.optional(),
    BASE_FACILITATOR_URL: url.optional(),
    BASE_FACILITATOR_TOKEN: apiKey.optional(),
    BASE_FACILITATOR_KEY_ID: apiKey.optional(),
    BASE_FACILITATOR_KEY_SECRET: keySecret.optional(),
    POLYGON_FACILITATOR_URL: url.optional(),
    POLYGON_FACILITATOR_TOKEN: apiKey.optional(),
    POLYGON_FACILITATOR_KEY_ID: apiKey.optional(),
    POLYGON_FACILITATOR_KEY_SECRET: keySecret.optional(),
    ARBITRUM_FACILITATOR_URL: url.optional(),
    ARBITRUM_FACILITATOR_TOKEN: apiKey.optional(),
    ARBITRUM_FACILITATOR_KEY_ID: apiKey.optional(),
    ARBITRUM_FACILITATOR_KEY_SECRET: keySecret.optional(),
    SOLANA_FACILITATOR_URL: url.optional(),
    SOLANA_FACILITATOR_TOKEN: apiKey.optional(),
    SOLANA_FACILITATOR_KEY_ID: apiKey.optional(),
    SOLANA_FACILITATOR_KEY_SECRET: keySecret.optional(),
    ...channelSettings,
    MPP_REALM: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII')
      .optional(),
    MPP_SECRETS: list.pipe(z.array(z.string().min(32)).min(1)).optional(),
    DATA_KEY: list.pipe(z.array(dataKey).min(1)),
    STORAGE: z.enum(['disk', 's3', 'vercel-blob']).default('disk'),
    STORAGE_DIR: z.string().default('.tuppence/files'),
    WORKER: z.enum(['in-process', 'separate']).default('in-process'),
    CRON_SECRET: z.string().min(16).optional(),
    CHROMIUM_PATH: z.string().min(1).optional(),
    RENDER_BROWSERS: z.coerce.number().int().min(1).max(64).default(2),
    RENDER_QUEUE: z.coerce.number().int().min(0).max(1000).default(32),
    READER_BROWSERS: z.coerce.number().int().min(1).max(64).default(2),
    READER_QUEUE: z.coerce.number().int().min(0).max(1000).default(32),
    READER_WITHOUT_SANDBOX: z.stringbool('must be true or false').default(false),
    S3_ENDPOINT: url.optional(),
    S3_BUCKET: z.string().optional(),
    S3_REGION: z.string().optional(),
    S3_ACCESS_KEY_ID: z.string().optional(),
    S3_SECRET_ACCESS_KEY: z.string().optional(),
    BLOB_READ_WRITE_TOKEN: z
      .string()
      .regex(/^vercel_blob_rw_[A-Za-z0-9]+_[A-Za-z0-9]+$/, 'must be the token of a Vercel Blob store')
      .optional(),
    EXA_API_KEY: apiKey.optional(),
    EXA_BASE_URL: url.default('https://api.exa.ai'),
    FIRECRAWL_API_KEY: apiKey.optional(),
    FIRECRAWL_BASE_URL: url.default('https://api.firecrawl.dev'),
    SERPER_API_KEY: apiKey.optional(),
    SERPER_BASE_URL: url.default('https://google.serper.dev'),
    DUFFEL_API_KEY: apiKey.optional(),
    DUFFEL_BASE_URL: url.default('https://api.duffel.com'),
    SEARXNG_URL: url.optional(),
    OPERATOR_TOKEN: z.string().min(16).optional(),
    SOURCE_URL: url.optional(),
    SOURCE_EDIT_URL: url.optional(),
    ...operatorSettings,
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
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
    for (const scope of facilitatorScopes) {
      const [id, secret] = [`${scope}_FACILITATOR_KEY_ID`, `${scope}_FACILITATOR_KEY_SECRET`] as const;
      const missing = env[id] === undefined ? id : secret;
      if ((env[id] === undefined) !== (env[secret] === undefined))
        context.addIssue({ code: 'custom', path: [missing], message: 'an API key has an ID and a secret' });
      if (env[id] !== undefined && env[`${scope}_FACILITATOR_TOKEN`] !== undefined)
        context.addIssue({
          code: 'custom',
          path: [id],
          message: `cannot be set beside ${scope}_FACILITATOR_TOKEN`,
        });
    }
    for (const name of storageSettings[env.STORAGE]) {
      if (env[name]) continue;
      context.addIssue({ code: 'custom', path: [name], message: `is required for STORAGE=${env.STORAGE}` });
    }
    for (const { name, message } of channelSettingProblems(env))
      context.addIssue({ code: 'custom', path: [name], message });
    if (new URL(env.PUBLIC_URL).host === new URL(env.FILES_URL).host) {
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
  const parsed = settingsSchema.safeParse(present);
  if (parsed.success) return { settings: parsed.data };
  return {
    problems: parsed.error.issues.map(({ path, message }) => ({ name: path.join('.'), message })),
  };
}

/** Parses settings; throws one Error that lists every missing or malformed one, without any value. */
export function parseSettings(source: Record<string, string | undefined>): Settings {
  const read = readSettings(source);
  if ('settings' in read) return read.settings;
  const lines = read.problems.map(({ name, message }) => `  ${name}: ${message}`);
  throw new Error(`The configuration is not valid:\n${lines.join('\n')}\nSee .env.example.`);
}
