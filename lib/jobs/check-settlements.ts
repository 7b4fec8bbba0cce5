import { finalityRecord } from '@/lib/ledger/finality-record';
import type { Payments } from '@/lib/payments/app-payments';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { checkFinality } from './finality-checks';

interface FinalityDeps extends WithDatabase, Pick<Platform, 'timings' | 'log' | 'problems'> {
  readonly payments: Pick<Payments, 'networks'>;
}

/** The job that checks the settlements of every network that are not final. */
export function checkSettlements(app: FinalityDeps, now: Date): Promise<void> {
  const { problems, log, payments } = app;
  return checkFinality({ problems, log, record: finalityRecord(app), offers: payments.networks.all() }, now);
}
