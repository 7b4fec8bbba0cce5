import { deposit } from '@/lib/catalog/billing';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { toAtomic, toPrice } from '@/lib/payments/money';
import { countAttempt, hashAddress } from '@/lib/platform/database/attempts';
import type { WithDatabase } from '@/lib/platform/database/database';
import { service } from '@/lib/services/service';
import { takesDeposits } from './identity';

/** Deposits a payment into an account. The ledger credits it in the statement that ends the call as delivered. */
export const takeDeposit = service(deposit, {
  async admit(app: Pick<WithDatabase, 'db' | 'addressSalts'>, { accountId }) {
    if (!(await takesDeposits(app, accountId))) throw new ApiError('account_not_found');
  },

  async deliver(
    app: Pick<WithDatabase, 'db' | 'addressSalts'>,
    { accountId, amount },
    { paidCallId, transactionHash, now },
  ) {
    // The account was revoked during the payment. Nobody could spend the credit, so the payment is left for a refund.
    if (!(await takesDeposits(app, accountId)))
      throw new ApiError('delivery_needs_attention', { paidCallId, reason: 'account_revoked' });
    const atomic = toAtomic(amount);
    return {
      accountId,
      amount: toPrice(atomic),
      amountUsdcAtomic: atomic.toString(),
      currency: 'USDC' as const,
      txHash: transactionHash,
      creditedAt: now.toISOString(),
    };
  },
});

/** Each attempt costs a few node requests, and a person needs only a few attempts. */
const allowance = { attempts: 60, minutes: 10 };

/**
 * Limits how many node requests the wallet pages make for one client address.
 * @param what whether it builds unsigned transactions or reads wallet holdings
 * @throws ApiError rate_limited (429)
 */
export async function countForPage(
  app: Pick<WithDatabase, 'db' | 'addressSalts'>,
  what: 'transactions' | 'holdings',
  address: string,
  now: Date,
): Promise<void> {
  const subject = `deposit ${what} of ${await hashAddress(app, address, now)}`;
  const retryAfterSeconds = await countAttempt(app, [[subject, allowance]], now);
  if (retryAfterSeconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds });
}
