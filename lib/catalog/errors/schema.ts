import { z } from 'zod';
import { type ErrorCode, errors } from './codes';
import { nextSteps, paymentOutcomes } from './codes/description';

const codes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];

/** The body of every error response. */
export const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.enum(codes).meta({ description: 'The error code.', examples: ['invalid_input'] }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'A more specific code.', examples: ['invalid_input'] }),
    message: z.string().meta({
      description: 'What is wrong and what to do, for people.',
      examples: [errors.invalid_input.message],
    }),
    issues: z
      .array(
        z.strictObject({
          path: z.string().meta({ description: 'The field.', examples: ['body.size'] }),
          rule: z.string().meta({ description: 'The rule that it breaks.', examples: ['is required'] }),
        }),
      )
      .max(3)
      .optional()
      .describe('What is wrong with the input: the field and the rule it breaks.'),
    example: z
      .unknown()
      .optional()
      .meta({ description: 'A minimal input that would be accepted.', examples: [{ query: 'lisbon' }] }),
    account: z
      .strictObject({
        accountId: z
          .string()
          .meta({ description: 'The account ID.', examples: ['acct_6Gk2vTq9BxWn3sYc7LzRd4Hp'] }),
        balance: z.string().meta({ description: 'Account balance in USDC, decimal.', examples: ['0.1'] }),
        price: z.string().meta({ description: 'Price of the call in USDC, decimal.', examples: ['0.25'] }),
        depositUrl: z.url().meta({
          description: 'Where to top up the account.',
          examples: ['https://api.example.com/deposit/acct_6Gk2vTq9BxWn3sYc7LzRd4Hp'],
        }),
      })
      .optional()
      .describe('With insufficient_balance: the balance, the price and where to top up.'),
    payment: z.enum(paymentOutcomes).describe('What happened to the money of this call.'),
    retry: z.enum(nextSteps).describe('What to do next.'),
    paidCallId: z
      .string()
      .optional()
      .meta({ description: 'The paid call, if there is one.', examples: ['pc_4fQm9WzR2sKx7LdTn0VbYcHj'] }),
    requestId: z.string().meta({
      description: 'The ID of this request in our log.',
      examples: ['req_8kTn2Vb7Xq5LzRw0MdJs4FhC'],
    }),
    docs: z.url().meta({
      description: 'The page about this error.',
      examples: ['https://api.example.com/docs/errors#invalid_input'],
    }),
  }),
});
