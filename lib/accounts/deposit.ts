import type { deposit } from '@/lib/catalog/billing';
import { ApiError } from '@/lib/http/api-error';
import { toAtomic, toPrice } from '@/lib/payments/money';
import type { Service } from '@/lib/service';
import { accountExists } from './identity';

/** Takes a payment into an account. The ledger credits it, in the statement that ends the call as delivered. */
export const takeDeposit: Service<typeof deposit> = {
  async admit({ accountId }) {
    if (!(await accountExists(accountId))) throw new ApiError('account_not_found');
  },

  async deliver({ accountId, amount }, { transactionHash, now }) {
    const atomic = toAtomic(amount);
    return {
      accountId,
      amount: toPrice(atomic),
      amountUsdcAtomic: atomic.toString(),
      currency: 'USDC',
      txHash: transactionHash,
      creditedAt: now.toISOString(),
    };
  },
};
