// The audit in a process of its own that stays, because starting one takes longer than auditing.
import { openDatabase } from '@/lib/db/database';
import { auditLedger, chainSources } from '@/lib/operator/audit/findings';
import { configuredOffers } from '@/lib/payments/networks';
import { systemClock } from '@/lib/platform/clock';
import { createLog } from '@/lib/platform/log';
import { parseSettings } from '@/lib/platform/settings';

const settings = parseSettings(process.env);
const { pool } = openDatabase({ settings, log: createLog(settings) });

process.on('message', async (fromBlock: number) => {
  try {
    const findings: string[] = [];
    for await (const { promise, about } of auditLedger(
      systemClock,
      pool,
      chainSources(configuredOffers(settings), BigInt(fromBlock)),
    ))
      findings.push(`broken: ${promise} (${about})`);
    process.send?.({ findings });
  } catch (error) {
    process.send?.({ failure: String(error) });
  }
});
process.on('disconnect', () => process.exit());
