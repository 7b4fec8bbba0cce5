import { isDelivery } from '../client';
import { fail, pass } from '../findings';
import type { PaidCase } from '../paid-case';
import { rules } from '../rules';

export const reorganizationCases: readonly PaidCase[] = [
  {
    id: 'reorganization.after-delivery',
    title: 'goes on selling after a reorganization has removed a payment',
    rule: rules.mppFinality,
    needs: ['mpp'],
    breaks: true,
    async check(seller) {
      const first = await seller.buy();
      if (!isDelivery(first)) return fail(first);
      await seller.chain.reorganize(2);
      // Its key has sent transactions that the chain does not have any more. That is no fault of the seller.
      await seller.facilitator.renew();
      seller.ledger.excuse = 'A reorganization has removed what was paid.';
      const second = await seller.buy({ timeoutMs: 30_000 });
      return isDelivery(second) || second.status >= 500 ? pass : fail(second);
    },
  },
];
