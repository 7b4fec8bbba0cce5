import { existsSync, readFileSync } from 'node:fs';
import { db } from '@/lib/db/client';
import { env } from '@/lib/env';
import { configuredOffers } from '@/lib/payments/networks';
import { auditLedger } from './audit/findings';

/**
 * `npm run audit:ledger [-- --from-block N]`: holds the ledger against the chains and prints what is wrong. Exits with 1
 * when anything is. Without settings of its own it takes those of the running demo.
 */
async function main(): Promise<number> {
  const demoSettings = '.tuppence/server.env.json';
  if (!process.env.DATABASE_URL && existsSync(demoSettings)) {
    Object.assign(process.env, JSON.parse(readFileSync(demoSettings, 'utf8')));
  }
  const option = process.argv.indexOf('--from-block');
  const fromBlock = BigInt(option > 0 ? (process.argv[option + 1] ?? 0) : 0);
  const findings = await auditLedger(configuredOffers(env()), fromBlock);
  for (const { promise, about } of findings) console.error(`broken: ${promise} (${about})`);
  console.log(findings.length === 0 ? 'The ledger and the chains agree.' : `${findings.length} findings`);
  await db().$disconnect();
  return findings.length === 0 ? 0 : 1;
}

process.exitCode = await main();
