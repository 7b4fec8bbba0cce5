import { z } from 'zod';
import { type ErrorCode, errors } from './codes';
import { nextSteps, paymentOutcomes } from './codes/description';

const codes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];

/** The body of every error response. */
export const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.enum(codes).describe('The error code.'),
    reason: z.string().optional().describe('A more specific code.'),
    message: z.string().describe('What is wrong and what to do, for people.'),
    issues: z
      .array(
        z.strictObject({
          path: z.string().describe('The field, such as `body.size`.'),
          rule: z.string().describe('The rule that it breaks.'),
        }),
      )
      .max(3)
      .optional()
      .describe('What is wrong with the input: the field and the rule it breaks.'),
    example: z.unknown().optional().describe('A minimal input that would be accepted.'),
    account: z
      .strictObject({
        accountId: z.string().describe('The account ID.'),
        balance: z.string().describe('Account balance in USDC, decimal.'),
        price: z.string().describe('Price of the call in USDC, decimal.'),
        depositUrl: z.url().describe('Where to top up the account.'),
      })
      .optional()
      .describe('With insufficient_balance: the balance, the price and where to top up.'),
    payment: z.enum(paymentOutcomes).describe('What happened to the money of this call.'),
    retry: z.enum(nextSteps).describe('What to do next.'),
    paidCallId: z.string().optional().describe('The paid call, if there is one.'),
    requestId: z.string().describe('The ID of this request in our log.'),
    docs: z.url().describe('The page about this error.'),
  }),
});
