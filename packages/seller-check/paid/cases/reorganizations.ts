import { isDelivery } from '../client';
import { fail, pass } from '../findings';
import type { PaidCase } from '../paid-case';
import { rules } from '../rules';

export const reorganizationCases: readonly PaidCase[] = [
  {
    id: 'reorganization.after-delivery',
    title: 'goes on selling after a reorganization has removed a payment',
    rule: rules.mppFinality,
    breaks: true,
    async check(seller) {
      const first = await seller.buy();
      if (!isDelivery(first)) return fail(first);
      await seller.chain.reorganize(2);
      seller.ledger.excuse = 'A reorganization has removed what was paid.';
      const second = await seller.buy({ timeoutMs: 30_000 });
      return isDelivery(second) || second.status >= 500 ? pass : fail(second);
    },
  },
];
