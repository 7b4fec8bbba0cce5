import { z } from 'zod';
import { nextSteps } from '@/lib/catalog/errors/codes/description';
import { messageOf, paymentReasons } from '@/lib/catalog/errors/payment-reasons';
import type { RailName } from '@/lib/catalog/operation';
import type { Components } from './components';
import { type AnswerHeader, answerHeadersOf } from './headers';
import { type Detail, jsonSchema, outline } from './json-schema';

/** PaymentRequired of x402 version 2, with our additions. */
export const paymentRequired = z.looseObject({
  x402Version: z.literal(2),
  error: z
    .string()
    .describe(
      '`Payment required`, or why the payment was refused: a code that /docs/errors#payment-reasons explains.',
    ),
  payment: z.literal('none').describe('Nothing was charged.'),
  retry: z.enum(nextSteps).describe('What to do next.'),
  message: z.string().optional().describe('Of a refused payment: what is wrong and what to do, for people.'),
  docs: z.url().optional().describe('Of a refused payment: the page about its reason.'),
  price: z.string().optional().describe('Of a refused payment: the price in USDC, decimal.'),
  payer: z
    .string()
    .optional()
    .describe('Of a refused payment: the wallet that signed it, where it is known.'),
  network: z.string().optional().describe('Of a refused payment: its network (CAIP-2), where it is known.'),
  refunds: z.url().describe('The page about refunds.'),
  resource: z.looseObject({ url: z.url(), description: z.string(), mimeType: z.string() }),
  accepts: z
    .array(
      z.looseObject({
        scheme: z.enum(['exact', 'batch-settlement']),
        network: z.string().describe('CAIP-2.'),
        amount: z.string().describe('Atomic units.'),
        amountUsdcAtomic: z.string(),
        asset: z.string(),
        payTo: z.string(),
        maxTimeoutSeconds: z.number().int(),
        extra: z.looseObject({
          name: z.string(),
          paymentFlow: z
            .literal('upfront')
            .optional()
            .describe('You are charged before the work. Left out where a call that fails costs nothing.'),
        }),
      }),
    )
    .min(1)
    .describe('One entry per network; after them, a payment channel if the service offers one.'),
  extensions: z.looseObject({}),
});

/** PaymentRequired of x402 version 2 without anything to pay, where a wallet signs in. */
const signInRequired = paymentRequired
  .omit({
    payment: true,
    retry: true,
    message: true,
    docs: true,
    price: true,
    payer: true,
    network: true,
    refunds: true,
  })
  .extend({
    error: z.string().describe('What to do.'),
    accepts: z.array(z.unknown()).max(0).describe('Empty: there is nothing to pay.'),
    extensions: z.looseObject({
      'sign-in-with-x': z
        .looseObject({
          info: z.looseObject({
            domain: z.string(),
            uri: z.url(),
            version: z.literal('1'),
            statement: z.string(),
            nonce: z.string(),
            issuedAt: z.iso.datetime(),
            expirationTime: z.iso.datetime(),
          }),
          supportedChains: z.array(
            z.looseObject({
              chainId: z.string().describe('CAIP-2.'),
              type: z.enum(['eip191', 'ed25519']),
            }),
          ),
        })
        .describe('The message to sign, for this URL and one request.'),
    }),
  });

/** The problem document (RFC 9457) with an MPP challenge. */
export const paymentProblem = z.strictObject({
  type: z.url().describe('A problem type of the Payment scheme: https://paymentauth.org/problems/…'),
  title: z.string(),
  status: z.union([z.literal(402), z.literal(400)]),
  detail: z.string(),
  code: z.literal('payment_required'),
  reason: z.string().optional().describe('Exactly why the credential was not accepted.'),
  payment: z.literal('none'),
  retry: z.enum(nextSteps),
  docs: z.url(),
  refunds: z.url().describe('The page about refunds.'),
  price: z.string().describe('USDC, decimal.'),
  payer: z.string().optional().describe('The wallet that signed, where it is known.'),
  network: z.string().optional().describe('Its network (CAIP-2), where it is known.'),
});

/** The rails whose 402 has a challenge of their protocol. An account's 402 is an ordinary error. */
type ChallengingRail = Exclude<RailName, 'account'>;

const challengeHeaders = {
  x402: ['PAYMENT-REQUIRED', 'Request-Id', 'Paid-Call-Id'],
  mpp: ['WWW-Authenticate', 'Request-Id', 'Paid-Call-Id'],
} as const satisfies Record<ChallengingRail, readonly AnswerHeader[]>;

export const paidHeaders = {
  x402: ['PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE', 'Paid-Call-Id', 'Request-Id', 'Idempotent-Replayed'],
  mpp: ['Payment-Receipt', 'Paid-Call-Id', 'Request-Id', 'Idempotent-Replayed'],
  account: ['Paid-Call-Receipt', 'Paid-Call-Id', 'Request-Id', 'Idempotent-Replayed'],
} as const satisfies Record<RailName, readonly AnswerHeader[]>;

/** The 402 of a rail. */
export function challengeResponse(rail: ChallengingRail, components: Components, detail: Detail) {
  return components.use('responses', rail, () => ({
    description: `Payment is required or was refused. Nothing was charged.${detail === 'full' ? ` The challenge takes precedence over this document. ${reasonWords}` : ''}`,
    // The challenge comes first; the other headers are on every response.
    headers: answerHeadersOf(challengeHeaders[rail].slice(0, detail === 'full' ? undefined : 1), components),
    content: challengeContent(rail, components, detail),
  }));
}

/** Every reason for which a payment is refused, in words. */
const reasonWords = `Reasons for a refusal: ${Object.entries(paymentReasons)
  .map(([code, reason]) => `\`${code}\`: ${messageOf(reason)}`)
  .join(' ')}`;

/** The 402 of a free operation that a wallet signs in to. */
export function signInResponse(components: Components) {
  const schema = () => jsonSchema(signInRequired, 'output');
  return components.use('responses', 'wallet', () => ({
    description: 'Sign the message in `extensions` and send the request again with SIGN-IN-WITH-X.',
    headers: answerHeadersOf(['PAYMENT-REQUIRED', 'Request-Id'], components),
    content: { 'application/json': { schema: components.use('schemas', 'SignInRequired', schema) } },
  }));
}

function challengeContent(rail: ChallengingRail, components: Components, detail: Detail) {
  const schemaOf = (shape: z.ZodType) => {
    const schema = jsonSchema(shape, 'output');
    return detail === 'full' ? schema : outline(schema);
  };
  if (rail === 'x402') {
    const schema = components.use('schemas', 'PaymentRequired', () => schemaOf(paymentRequired));
    return { 'application/json': { schema } };
  }
  const schema = components.use('schemas', 'PaymentProblem', () => schemaOf(paymentProblem));
  return { 'application/problem+json': { schema } };
}
