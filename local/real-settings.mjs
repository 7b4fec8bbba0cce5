import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const realSettings = [
  'DATABASE_URL',
  'SETTLEMENT_KEYS_EVM',
  'SETTLEMENT_KEY_SOLANA',
  'PAY_TO_EVM',
  'PAY_TO_SOLANA',
  'BASE_RPC_URL',
  'POLYGON_RPC_URL',
  'ARBITRUM_RPC_URL',
  'SOLANA_RPC_URL',
  'X402_FACILITATOR_URL',
  'X402_FACILITATOR_TOKEN',
  'BASE_FACILITATOR_URL',
  'POLYGON_FACILITATOR_URL',
  'ARBITRUM_FACILITATOR_URL',
  'SOLANA_FACILITATOR_URL',
  'MPP_SECRETS',
  'DATA_KEY',
  'OPERATOR_TOKEN',
  'CRON_SECRET',
  'S3_SECRET_ACCESS_KEY',
  'BLOB_READ_WRITE_TOKEN',
  'EXA_API_KEY',
  'FIRECRAWL_API_KEY',
  'SERPER_API_KEY',
  'DUFFEL_API_KEY',
];

// Next reads these by itself, so a key in one of them would reach the demo's server.
const envFiles = ['.env', '.env.local', '.env.production', '.env.production.local'];

/**
 * Why the demo must not run here, or undefined: it plays with money, and must never do so with anybody's real money.
 *
 * @param {string} root
 * @param {Record<string, string | undefined>} environment
 * @returns {string | undefined}
 */
export function findReasonToRefuse(root, environment) {
  if (environment.NODE_ENV === 'production') {
    return 'NODE_ENV is "production". The demo is for a developer\'s machine; `npm start` is for production.';
  }
  const set = realSettings.filter((name) => environment[name]);
  if (set.length > 0)
    return `${set.join(', ')} set in the environment. The demo makes its own; unset yours first.`;
  for (const file of envFiles) {
    const text = existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), 'utf8') : '';
    const written = realSettings.filter((name) =>
      new RegExp(`^\\s*(export\\s+)?${name}\\s*=\\s*\\S`, 'm').test(text),
    );
    if (written.length > 0) {
      return `${file} holds ${written.join(', ')}. The demo's server would read them; move that file away first.`;
    }
  }
  return undefined;
}
