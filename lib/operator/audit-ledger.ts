import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { openDatabase } from '@/lib/db/database';
import { configuredOffers } from '@/lib/payments/networks';
import { systemClock } from '@/lib/platform/clock';
import { createLog } from '@/lib/platform/log';
import { parseSettings } from '@/lib/platform/settings';
import { productionTimings } from '@/lib/platform/timings';
import { auditLedger, chainSources } from './audit/findings';

const demoFile = '.tuppence/local.json';

const demoSchema = z.object({
  apiUrl: z.string(),
  filesUrl: z.string(),
  databaseUrl: z.string(),
  networks: z.array(z.object({ name: z.string(), rpcUrl: z.string(), payTo: z.string() })),
});

/** The demo's settings that an audit needs. It decrypts nothing. */
function demoSettings(): Record<string, string> {
  const demo = demoSchema.parse(JSON.parse(readFileSync(demoFile, 'utf8')));
  const settings: Record<string, string> = {
    DATABASE_URL: demo.databaseUrl,
    PUBLIC_URL: demo.apiUrl,
    FILES_URL: demo.filesUrl,
    DATA_KEY: Buffer.alloc(32).toString('base64'),
  };
  for (const { name, rpcUrl, payTo } of demo.networks) {
    const setting = name === 'solana-mainnet' ? 'SOLANA' : name.toUpperCase();
    settings[`${setting}_RPC_URL`] = rpcUrl;
    settings[setting === 'SOLANA' ? 'PAY_TO_SOLANA' : 'PAY_TO_EVM'] = payTo;
  }
  return settings;
}

/** An audit reads whole tables, so the statement time limit of a server is too short. */
const statementMs = 3_600_000;

function withPatience(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('query_timeout', String(statementMs));
  return url.href;
}

/**
 * `npm run audit:ledger [-- --from-block N]`: compares the ledger with the chains and prints what is wrong. Exits with
 * 1 if anything is. Without settings it uses those of the running demo.
 */
async function main(): Promise<number> {
  if (!process.env.DATABASE_URL && existsSync(demoFile)) Object.assign(process.env, demoSettings());
  if (process.env.DATABASE_URL) process.env.DATABASE_URL = withPatience(process.env.DATABASE_URL);
  const settings = parseSettings(process.env);
  const { pool } = openDatabase({ settings, log: createLog(settings), timings: productionTimings });
  const option = process.argv.indexOf('--from-block');
  const fromBlock = BigInt(option > 0 ? (process.argv[option + 1] ?? 0) : 0);
  let found = 0;
  for await (const { promise, about } of auditLedger(
    systemClock,
    pool,
    chainSources(configuredOffers(settings), fromBlock),
  )) {
    found += 1;
    console.error(`broken: ${promise} (${about})`);
  }
  console.log(found === 0 ? 'The ledger and the chains agree.' : `${found} findings`);
  await pool.end();
  return found === 0 ? 0 : 1;
}

process.exitCode = await main();
