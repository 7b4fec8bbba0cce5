import { pino } from 'pino';
import { checkFinality } from '@/lib/jobs/finality-checks';
import type { ConfirmedSettlement, FinalityRecord } from '@/lib/payments/journal';
import { configuredOffers } from '@/lib/payments/network-offers';
import type { FinalityStatus } from '@/lib/payments/outcome';
import { systemClock } from '@/lib/platform/clock';
import { OngoingProblems } from '@/lib/platform/ongoing-problem';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const log = pino({ level: 'silent' });
const [base] = configuredOffers(testPlatform().settings);

test('a settlement that cannot be recorded does not keep others from becoming final', async () => {
  if (!base) throw new Error('no network is configured');
  const block = { number: 7n, hash: null };
  const confirmed = ['removed', 'deep'].map(
    (hash): ConfirmedSettlement => ({ hash, block, confirmedAt: new Date() }),
  );
  const final: string[] = [];
  const record: FinalityRecord = {
    notFinal: async () => new Map([[base.network.name, confirmed]]),
    recordFinal: async (_, hashes) => void final.push(...hashes),
    recordBlock: async () => undefined,
    hasPaidCalls: async () => false,
    recordVanished: () => Promise.reject(new Error('a constraint does not hold')),
  };
  const statuses = new Map<string, FinalityStatus>([
    ['removed', { kind: 'vanished' }],
    ['deep', { kind: 'final', block }],
  ]);
  const offers = [{ network: base.network, settler: { checkFinality: async () => statuses } }];
  await checkFinality({ record, offers, log, problems: new OngoingProblems(log, systemClock) }, new Date());
  expect(final).toEqual(['deep']);
});
