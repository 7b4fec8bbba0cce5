import type { WithDatabase } from '@/lib/db/database';
import type { Payment } from '@/lib/payments/payment';
import { newId } from '@/lib/platform/ids';

/**
 * Puts a transfer to us that belongs to no paid call on the operator's worklist, once however often it is seen.
 * @param operation what its payer requested with it
 */
export async function recordTransferWithoutCall(
  app: WithDatabase,
  payment: Payment,
  transactionHash: string | null,
  operation: string,
  now: Date,
): Promise<void> {
  const { network, asset, payer, authorization, amountAtomic, payTo } = payment;
  await app.db.$executeRaw`
    INSERT INTO transfer_without_call (id, network, asset, payer, "authorization", amount_atomic, pay_to,
      transaction_hash, operation, found_at)
    VALUES (${newId('tw')}, ${network}, ${asset}, ${payer}, ${authorization}, ${amountAtomic}, ${payTo},
      ${transactionHash}, ${operation}, ${now})
    ON CONFLICT (network, asset, payer, "authorization") DO NOTHING`;
}
