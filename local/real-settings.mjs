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
  'FACILITATOR_URL',
  'FACILITATOR_KEY',
  'MPP_SECRETS',
  'DATA_KEY',
  'OPERATOR_TOKEN',
  'OPERATORS',
  'METRICS_TOKEN',
  'CRON_SECRET',
  'S3_SECRET_ACCESS_KEY',
  'BLOB_READ_WRITE_TOKEN',
  'EXA_API_KEY',
  'FIRECRAWL_API_KEY',
  'SERPER_API_KEY',
  'DUFFEL_API_KEY',
];

// Next reads these files, so their settings would reach the demo's server.
const envFiles = ['.env', '.env.local', '.env.production', '.env.production.local'];

/**
 * Why the demo must not run here, or undefined. It makes payments, and must never make them with real keys.
 *
 * @param {string} root
 * @param {Record<string, string | undefined>} environment
 * @returns {string | undefined}
 */
export function findReasonToRefuse(root, environment) {
  if (environment.NODE_ENV === 'production') {
    return 'NODE_ENV is production. The demo is for development; npm start runs the service in production.';
  }
  const set = realSettings.filter((name) => environment[name]);
  if (set.length > 0)
    return `the environment sets ${set.join(', ')}. The demo uses its own values; unset these first.`;
  for (const file of envFiles) {
    const text = existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), 'utf8') : '';
    const inFile = realSettings.filter((name) =>
      new RegExp(`^\\s*(export\\s+)?${name}\\s*=\\s*\\S`, 'm').test(text),
    );
    if (inFile.length > 0) {
      return `${file} sets ${inFile.join(', ')}, which the demo's server would use. Move the file away first.`;
    }
  }
  return undefined;
}
