// The audit in a process of its own that stays: modules keep the settings they were first loaded with, and starting one
// takes longer than auditing.
import { env } from '@/lib/env';
import { auditLedger } from '@/lib/operator/audit/findings';
import { configuredOffers } from '@/lib/payments/networks';

process.on('message', async (fromBlock: number) => {
  try {
    const findings = await auditLedger(configuredOffers(env()), BigInt(fromBlock));
    process.send?.({ findings: findings.map(({ promise, about }) => `broken: ${promise} (${about})`) });
  } catch (error) {
    process.send?.({ failure: String(error) });
  }
});
process.on('disconnect', () => process.exit());
