import { z } from 'zod';
import { accountId } from './account';
import { currency, usdcAtomic } from './answer-fields';
import { noParams, operation } from './operation';

/** USDC. */
export const depositLimits = { min: '1', max: '500' } as const;

const amount = z
  .string()
  .regex(/^(?:[1-9]\d{0,2})(?:\.\d{1,6})?$/, {
    error: `must be a decimal string from ${depositLimits.min} to ${depositLimits.max} USDC with at most six decimal places`,
  })
  .refine((value) => Number(value) <= Number(depositLimits.max), {
    error: `must be at most ${depositLimits.max} USDC`,
  })
  .meta({
    description: `USDC as a decimal string, ${depositLimits.min} to ${depositLimits.max}: the price of this call, credited to the account.`,
    examples: ['5', '12.50'],
  });

export const deposit = operation({
  id: 'billing.deposit',
  category: 'billing',
  priceName: 'deposit',
  method: 'POST',
  paths: { x402: '/v1/billing/deposits' },
  price: depositLimits.min,
  variablePrice: { field: 'amount', ...depositLimits },
  addsUp: true,
  title: 'Deposit into an account',
  summary: `Add ${depositLimits.min} to ${depositLimits.max} USDC to a prepaid account. The price is the amount in the body. Anyone can pay into any account.`,
  params: noParams,
  body: z.strictObject({ accountId: accountId.describe('The account to credit.'), amount }),
  takesBody: true,
  // Read before anything is paid for, because it names the price.
  bodyBytesMax: 4_096,
  creditsAccount: 'accountId',
  output: z.strictObject({
    accountId: accountId.describe('The account that was credited.'),
    amount: z.string().describe('Credited amount in USDC, decimal.'),
    amountUsdcAtomic: usdcAtomic,
    currency,
    txHash: z.string().nullable().describe('The settlement transaction.'),
    creditedAt: z.iso.datetime().describe('When the balance was credited, in UTC.'),
  }),
  minimalBody: { accountId: 'acct_6Gk2vTq9BxWn3sYc7LzRd4Hp', amount: '5' },
  errors: ['invalid_input', 'account_not_found', 'body_too_large'],
  example: {
    params: {},
    body: { accountId: 'acct_6Gk2vTq9BxWn3sYc7LzRd4Hp', amount: '5' },
    output: {
      accountId: 'acct_6Gk2vTq9BxWn3sYc7LzRd4Hp',
      amount: '5',
      amountUsdcAtomic: '5000000',
      currency: 'USDC',
      txHash: '0x8f2ab8ae4ffb0a1a3e2f0ef41fa27a8de7c1bd9a3a1a54b5f1d2c70cf5b7b1d2',
      creditedAt: '2026-12-01T00:00:01.000Z',
    },
  },
});

export const paid = [deposit];
