import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { auditLedger, chainSources } from '@/lib/operator/audit/findings';
import { configuredOffers } from '@/lib/payments/networks';
import { systemClock } from '@/lib/platform/clock';
import { parseSettings } from '@/lib/platform/settings';

export interface Auditor {
  /** What the audit finds, a line each; empty when ledger and chains agree. */
  audit(fromBlock: number): Promise<string[]>;
  close(): Promise<void>;
}

/** The audit under these settings, on connections that are opened when it is first needed. */
export function openAuditor(env: Record<string, string>): Auditor {
  let pool: Pool | undefined;
  return {
    async audit(fromBlock) {
      const settings = parseSettings(env);
      pool ??= openPool(settings.DATABASE_URL);
      const sources = chainSources(configuredOffers(settings), BigInt(fromBlock));
      const findings: string[] = [];
      for await (const { promise, about } of auditLedger(systemClock, pool, sources))
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

/** Runs the operator's own program, `tuppence audit`, and reads what it prints. */
export async function runAuditProgram(
  settings: Record<string, string>,
  fromBlock: number,
): Promise<{ findings: string[]; exitCode: number }> {
  const run = promisify(execFile)(
    process.execPath,
    ['dist/tuppence.js', 'audit', '--from-block', String(fromBlock)],
    // Next's type of ProcessEnv demands NODE_ENV.
    { env: { ...settings, PATH: process.env.PATH, LOG_LEVEL: 'silent', NODE_ENV: 'test' } },
  );
  const { stdout, stderr, code } = await run.then(
    (done) => ({ ...done, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
  const findings = stderr.split('\n').filter((line) => line.startsWith('broken: '));
  const isAnswered = stdout.includes('The ledger and the chains agree') || findings.length > 0;
  if (!isAnswered) throw new Error(`the audit did not run:\n${stdout}${stderr}`);
  return { findings, exitCode: code };
}
