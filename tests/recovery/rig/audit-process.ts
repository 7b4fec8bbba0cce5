// The audit in a process of its own that stays: modules keep the settings they were first loaded with, and starting one
// takes longer than auditing.
import { pool } from '@/lib/db/pool';
import { auditLedger, chainSources } from '@/lib/operator/audit/findings';
import { configuredOffers } from '@/lib/payments/networks';
import { env } from '@/lib/platform/settings';

process.on('message', async (fromBlock: number) => {
  try {
    const findings: string[] = [];
    for await (const { promise, about } of auditLedger(
      pool(),
      chainSources(configuredOffers(env()), BigInt(fromBlock)),
    ))
      findings.push(`broken: ${promise} (${about})`);
    process.send?.({ findings });
  } catch (error) {
    process.send?.({ failure: String(error) });
  }
});
process.on('disconnect', () => process.exit());
