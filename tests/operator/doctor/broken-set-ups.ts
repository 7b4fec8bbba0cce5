import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from '@playwright/test';
import { Keypair } from '@solana/web3.js';
import type { Finding } from '@/lib/operator/doctor/finding';
import { findFreePort } from '@/local/free-port';
import { network, stack } from '../../support/stack';

/** Settings; undefined omits a setting. */
export type Env = Record<string, string | undefined>;

/** The settings of the tests' server, which works. */
export const wellEnv = (): Env => ({
  ...stack().serverEnv,
  PUBLIC_URL: stack().apiUrl,
  FILES_URL: stack().filesUrl,
});

/** Settings with which an installation does not work, and what doctor reports about them. */
interface BrokenSetUp {
  readonly what: string;
  readonly part: string;
  readonly env: () => Env | Promise<Env>;
  readonly about: string;
  readonly status?: Finding['status'];
  readonly message: RegExp;
  readonly advice: RegExp;
}

const nowhere = async () => `127.0.0.1:${await findFreePort()}`;

export const brokenSetUps: readonly BrokenSetUp[] = [
  {
    what: 'no database at its address',
    part: 'database',
    env: async () => ({ DATABASE_URL: `postgresql://user:pass@${await nowhere()}/db` }),
    about: 'database',
    message: /ECONNREFUSED/,
    advice: /Check that PostgreSQL runs/,
  },
  {
    what: 'a database that nobody has created',
    part: 'database',
    env: () => ({ DATABASE_URL: stack().databaseUrl.replace(/\/[^/]*$/, '/nobody_made_it') }),
    about: 'database',
    message: /does not exist/,
    advice: /Create the database/,
  },
  {
    what: 'more connections than the database allows',
    part: 'database',
    env: () => ({ DATABASE_POOL: '500', PROCESSES: '64' }),
    about: 'DATABASE_POOL',
    status: 'warning',
    message: /may open 32000 connections/,
    advice: /Lower DATABASE_POOL/,
  },
  {
    what: "a reader whose browser does not start in Chromium's sandbox",
    part: 'renderer',
    env: () => ({ CHROMIUM_PATH: '/bin/false', FIRECRAWL_API_KEY: undefined }),
    about: 'reader',
    message: /no browser starts with Chromium's sandbox/,
    advice: /Let the server create namespaces/,
  },
  {
    what: 'an RPC of another chain',
    part: 'networks',
    env: () => ({ BASE_RPC_URL: network('polygon').rpcUrl }),
    about: 'base',
    message: /serves chain 137, not 8453/,
    advice: /Set BASE_RPC_URL/,
  },
  {
    what: 'payment channels on a chain whose contract has other digests',
    part: 'networks',
    env: () => ({
      BATCH_SETTLEMENT: 'base',
      BATCH_AUTHORIZER_KEY: `0x${'5a'.repeat(32)}`,
      BASE_RPC_URL: network('polygon').rpcUrl,
    }),
    about: 'BATCH_SETTLEMENT',
    message: /missing or differs: channel id, voucher digest, refund digest, claim digest$/,
    advice: /Remove BATCH_SETTLEMENT/,
  },
  {
    what: 'an RPC that does not respond',
    part: 'networks',
    env: async () => ({ POLYGON_RPC_URL: `http://${await nowhere()}` }),
    about: 'polygon',
    message: /./,
    advice: /Check that the RPCs in POLYGON_RPC_URL respond/,
  },
  {
    what: 'a second RPC that does not respond',
    part: 'networks',
    env: async () => ({ BASE_RPC_URL: `${network('base').rpcUrl},http://${await nowhere()}` }),
    about: 'BASE_RPC_URL',
    status: 'warning',
    message: /^RPC 2 of 2 does not respond/,
    advice: /Correct or remove its URL/,
  },
  {
    what: 'a token that is not USDC',
    part: 'networks',
    env: () => ({ USDC_ADDRESS: `arbitrum=0x${'5'.repeat(40)}` }),
    about: 'arbitrum',
    message: /does not report the EIP-712 domain/,
    advice: /Remove arbitrum from USDC_ADDRESS/,
  },
  {
    what: 'a settlement key without money for gas',
    part: 'networks',
    env: () => ({ SETTLEMENT_KEYS_EVM: `0x${randomBytes(32).toString('hex')}` }),
    about: 'base',
    message: /holds 0 of gas money/,
    advice: /Send it money for gas on base/,
  },
  {
    what: 'no key for Solana',
    part: 'networks',
    env: () => ({ SETTLEMENT_KEY_SOLANA: undefined }),
    about: 'solana-mainnet',
    message: /no settlement key and no facilitator/,
    advice: /SETTLEMENT_KEY_SOLANA/,
  },
  {
    what: 'a payee without a token account',
    part: 'networks',
    env: () => ({ PAY_TO_SOLANA: Keypair.generate().publicKey.toBase58() }),
    about: 'solana-mainnet',
    message: /the payee has no USDC account/,
    advice: /Create the USDC token account of PAY_TO_SOLANA/,
  },
  {
    what: 'a folder for files that is a file',
    part: 'store',
    env: async () => {
      const file = test.info().outputPath('file');
      await writeFile(file, '');
      return { STORAGE_DIR: path.join(file, 'files') };
    },
    about: 'STORAGE=disk',
    message: /it cannot write an object/,
    advice: /permission to write in STORAGE_DIR/,
  },
  {
    what: 'no browser',
    part: 'renderer',
    env: () => ({ CHROMIUM_PATH: '/nowhere/chromium' }),
    about: 'renderer',
    message: /PDF rendering is off/,
    advice: /set CHROMIUM_PATH/,
  },
  {
    what: 'a provider that cannot be reached',
    part: 'providers',
    env: async () => ({ EXA_API_KEY: 'live', EXA_BASE_URL: `http://${await nowhere()}` }),
    about: 'EXA_API_KEY',
    message: /exa cannot be reached/,
    advice: /Let this machine connect to 127\.0\.0\.1/,
  },
  {
    what: 'no server at the public address',
    part: 'addresses',
    env: async () => ({ PUBLIC_URL: `http://${await nowhere()}` }),
    about: 'PUBLIC_URL',
    status: 'warning',
    message: /nothing responds/,
    advice: /Start the server/,
  },
  {
    what: 'a public address without encryption',
    part: 'settings',
    env: () => ({ PUBLIC_URL: 'http://api.example.com' }),
    about: 'PUBLIC_URL',
    message: /not encrypted/,
    advice: /https/,
  },
  {
    what: 'a proxy that the settings do not mention',
    part: 'settings',
    env: () => ({ PUBLIC_URL: 'https://api.example.com' }),
    about: 'TRUSTED_PROXIES',
    status: 'warning',
    message: /share the rate limits of one address/,
    advice: /number of proxies/,
  },
  {
    what: 'a data key that is not random',
    part: 'settings',
    env: () => ({
      PUBLIC_URL: 'https://api.example.com',
      TRUSTED_PROXIES: '1',
      DATA_KEY: Buffer.alloc(32).toString('base64'),
    }),
    about: 'DATA_KEY',
    message: /not random/,
    advice: /Make one with: node -p/,
  },
];
