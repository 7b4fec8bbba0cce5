import { z } from 'zod';
import { type ErrorCode, errors } from './codes';
import { nextSteps, paymentOutcomes } from './codes/description';

const codes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];

/** The body of every error response. */
export const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.enum(codes),
    reason: z.string().optional().describe('A more specific code.'),
    message: z.string(),
    issues: z
      .array(z.strictObject({ path: z.string(), rule: z.string() }))
      .max(3)
      .optional()
      .describe('What is wrong with the input: the field and the rule it breaks.'),
    example: z.unknown().optional().describe('A minimal input that would be accepted.'),
    account: z
      .strictObject({
        accountId: z.string(),
        balance: z.string().describe('Account balance in USDC, decimal.'),
        price: z.string().describe('Price of the call in USDC, decimal.'),
        depositUrl: z.url().describe('Where to top up the account.'),
      })
      .optional()
      .describe('With insufficient_balance: the balance, the price and where to top up.'),
    payment: z.enum(paymentOutcomes).describe('What happened to the money of this call.'),
    retry: z.enum(nextSteps).describe('What to do next.'),
    paidCallId: z.string().optional(),
    requestId: z.string(),
    docs: z.url(),
  }),
});
