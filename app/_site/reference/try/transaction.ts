import { z } from 'zod';
import { currentApp } from '@/lib/app/current';
import { operations } from '@/lib/catalog';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { Operation } from '@/lib/catalog/operation';
import { readBytes } from '@/lib/http/body';
import { pageRoute } from '@/lib/http/page-route';
import { unsignedPayment } from '@/lib/http/unsigned-payment';
import { toAtomic } from '@/lib/payments/money';
import { parseJson } from '@/lib/platform/json';
import { countForPage } from '@/lib/services/accounts/deposit';

const transactionRequest = z.strictObject({
  operation: z.string().max(64),
  payer: z.string().max(64),
  /** USDC, decimal. */
  amount: z.string().regex(/^\d{1,6}(\.\d{1,6})?$/),
});

/** `POST /try/solana`: the payment of a call for a Solana wallet to sign, for the reference's own script. */
export const makeTransaction = pageRoute(
  currentApp,
  async ({ request, address }) => {
    const parsed = transactionRequest.safeParse(parseJson(Buffer.from(await readBytes(request)).toString()));
    const operation = operations.find(({ id }) => id === parsed.data?.operation);
    if (!parsed.success || !operation || !costs(operation, parsed.data.amount))
      throw new ApiError('invalid_input');
    await countForPage(currentApp(), 'transactions', address, currentApp().clock.date());
    const { payer, amount } = parsed.data;
    return { status: 200, json: { transaction: await unsignedPayment(currentApp(), payer, amount) } };
  },
  async (_, status) => ({ status, json: { error: { status } } }),
);

/** Whether a call of the operation can have this price. */
function costs({ price, variablePrice: range }: Operation, amount: string): boolean {
  const [least, most] = range ? [range.min, range.max] : [price, price];
  return toAtomic(amount) >= toAtomic(least) && toAtomic(amount) <= toAtomic(most);
}
