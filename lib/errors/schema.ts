import { z } from 'zod';
import { type ErrorCode, errors } from './codes';
import { nextSteps, paymentOutcomes } from './codes/description';

const codes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];

/** The body of every error answer. */
export const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.enum(codes),
    reason: z.string().optional().describe('A second, finer code.'),
    message: z.string(),
    issues: z
      .array(z.strictObject({ path: z.string(), rule: z.string() }))
      .max(3)
      .optional()
      .describe('What is wrong with the input: where, and which rule it breaks.'),
    example: z.unknown().optional().describe('A minimal input that would be accepted.'),
    account: z
      .strictObject({
        accountId: z.string(),
        balance: z.string().describe('USDC, decimal: what is in the account.'),
        price: z.string().describe('USDC, decimal: what the call costs.'),
        depositUrl: z.url().describe('Where the account is topped up.'),
      })
      .optional()
      .describe('With insufficient_balance: what is missing, and where to pay it in.'),
    payment: z.enum(paymentOutcomes).describe('What happened to the money of this call.'),
    retry: z.enum(nextSteps).describe('What to do next.'),
    paidCallId: z.string().optional(),
    requestId: z.string(),
    docs: z.url(),
  }),
});
