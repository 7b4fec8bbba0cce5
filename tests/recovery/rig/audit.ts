import { Pool } from 'pg';
import { features } from '@/lib/app/features';
import { auditLedger, chainSources } from '@/lib/operator/audit/findings';
import { configuredOffers } from '@/lib/payments/network-offers';
import { systemClock } from '@/lib/platform/clock';
import { parseSettings } from '@/lib/platform/settings';

const checks = features.flatMap(({ auditChecks }) => auditChecks);

export interface Auditor {
  /** The findings of the audit, one line each; empty when ledger and chains agree. */
  audit(fromBlock: number): Promise<string[]>;
  close(): Promise<void>;
}

/** The audit with these settings. Its connections are opened when first needed. */
export function openAuditor(env: Record<string, string>): Auditor {
  let pool: Pool | undefined;
  return {
    async audit(fromBlock) {
      const settings = parseSettings(env);
      pool ??= openPool(settings.DATABASE_URL);
      const sources = chainSources(configuredOffers(settings), () => BigInt(fromBlock));
      const findings: string[] = [];
      for await (const { promise, about } of auditLedger(systemClock, pool, sources, checks))
        findings.push(`broken: ${promise} (${about})`);
      return findings;
    },
    async close() {
      await pool?.end();
      pool = undefined;
    },
  };
}

function openPool(connectionString: string): Pool {
  const pool = new Pool({ connectionString, max: 2 });
  // `end` does not wait for connections to close, and the database may be dropped before they have.
  pool.on('error', () => undefined);
  return pool;
}
