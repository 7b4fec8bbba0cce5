import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Finding, Rule, SellerCase } from '../case';
import type { Answer } from '../http';
import { fail, notApplicable, overX402, pass } from './findings';
import { type Deviation, encodePayment, findSignable, type Payment, signPayment } from './payments-x402';
import { documents, rfcs } from './rules';
import { type Changes, type UnpaidSeller, type X402Challenge, x402Of } from './seller';

const { x402, x402Http, x402Evm } = documents;

type Headers = NonNullable<Changes['headers']>;

const payload = (sentence: string) => x402('5.2.2 Field Descriptions', '', sentence, 'must');
const verification = (sentence: string) =>
  x402Evm('1. Phase 2: Verification Logic', 'phase-2-verification-logic', sentence, 'must');
const malformed = x402Http(
  'Error Handling',
  'error-handling',
  'Invalid Payment: 400: Malformed payment payload or requirements',
  'must',
);
const noValidPayment = x402(
  '2. Core Payment Flow',
  '',
  'If no valid payment is attached, the server responds with a payment required signal and payment requirements',
  'must',
);

/**
 * A refusal is 4xx: 402, or 400 as the HTTP transport has it for malformed payments. A seller whose chain or facilitator cannot be
 * reached does not show what it does with the payment.
 */
function unlessRefused(answer: Answer): Finding {
  if ([502, 503, 504].includes(answer.status))
    return notApplicable(`The seller is unavailable (${answer.status}).`);
  if (answer.status < 400) return fail('The payment was not refused.', answer);
  return answer.status < 500 ? pass : fail('The payment is an error of the server.', answer);
}

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

/** A payment that looks right; where none can be signed, one with an empty payload. */
async function plausible(challenge: X402Challenge, deviation?: Deviation): Promise<Payment> {
  const offer = findSignable(challenge);
  if (offer) return signPayment(challenge, offer, deviation);
  return {
    x402Version: 2,
    resource: challenge.required.resource,
    accepted: challenge.required.accepts[0],
    payload: {},
  };
}

/** A case that sends a header which is no payment. */
const refused = (
  id: string,
  title: string,
  rule: Rule,
  headersOf: (challenge: X402Challenge) => Headers | Promise<Headers>,
): SellerCase<UnpaidSeller> => ({
  id: `payment.${id}`,
  title,
  rule,
  check: overX402(async (challenge, seller) =>
    unlessRefused(await seller.send({ headers: await headersOf(challenge) })),
  ),
});

/** A case that sends a well-formed payment with a signature, of a key that owns nothing, in which something is wrong. */
const refusedSigned = (
  id: string,
  title: string,
  rule: Rule,
  deviationOf: (nowSeconds: number) => Deviation,
): SellerCase<UnpaidSeller> => ({
  id: `payment.${id}`,
  title,
  rule,
  check: overX402(async (challenge, seller) => {
    const offer = findSignable(challenge);
    if (offer === undefined) return notApplicable('The seller offers no payment by EIP-3009.');
    const payment = await signPayment(challenge, offer, deviationOf(Math.floor(Date.now() / 1_000)));
    return unlessRefused(await seller.send({ headers: [['PAYMENT-SIGNATURE', encodePayment(payment)]] }));
  }),
});

const changed = async (challenge: X402Challenge, change: (payment: Payment) => unknown): Promise<Headers> => [
  ['PAYMENT-SIGNATURE', base64(change(await plausible(challenge)))],
];

const elsewhere = '0x000000000000000000000000000000000000dEaD';
const zeros = `0x${'00'.repeat(65)}`;

/** Payments of x402 that buy nothing. */
export const refusedPaymentCases: readonly SellerCase<UnpaidSeller>[] = [
  refused('not-base64', 'A payment that is not base64 is refused', malformed, () => [
    ['PAYMENT-SIGNATURE', '!!! not base64 !!!'],
  ]),
  refused('not-json', 'A payment that is not JSON is refused', malformed, () => [
    ['PAYMENT-SIGNATURE', Buffer.from('not JSON').toString('base64')],
  ]),
  refused('deep', 'A payment of nested lists is refused', malformed, () => [
    ['PAYMENT-SIGNATURE', Buffer.from('['.repeat(2_000) + ']'.repeat(2_000)).toString('base64')],
  ]),
  refused(
    'other-version',
    'A payment of a version that was not offered is refused',
    payload('x402Version: number: Required: Protocol version identifier'),
    (challenge) => changed(challenge, (payment) => ({ ...payment, x402Version: 99 })),
  ),
  refused(
    'no-accepted',
    'A payment that names no offer is refused',
    payload('accepted: object: Required: PaymentRequirements object indicating the payment method chosen'),
    (challenge) => changed(challenge, ({ accepted: _, ...payment }) => payment),
  ),
  refused(
    'no-payload',
    'A payment without a payload is refused',
    payload('payload: object: Required: Scheme-specific payment data'),
    (challenge) => changed(challenge, ({ payload: _, ...payment }) => payment),
  ),
  refused(
    'unsigned',
    'A payment without a signature is refused',
    payload('signature: string: Required: EIP-712 signature for authorization'),
    (challenge) => changed(challenge, (payment) => ({ ...payment, payload: {} })),
  ),
  refused('version-1', 'A payment of version 1 that is no payment is refused', noValidPayment, () => [
    ['X-PAYMENT', base64({ x402Version: 1, scheme: 'exact', network: 'base', payload: {} })],
  ]),
  refused('twice', 'Two payments in one request are refused', noValidPayment, async (challenge) => [
    ['PAYMENT-SIGNATURE', base64(await plausible(challenge))],
    ['PAYMENT-SIGNATURE', base64(await plausible(challenge))],
  ]),
  refused(
    'with-credential',
    'A malformed payment beside a malformed credential of MPP is refused',
    noValidPayment,
    () => [
      ['PAYMENT-SIGNATURE', base64({ x402Version: 2 })],
      ['Authorization', 'Payment e30'],
    ],
  ),
  refused(
    'large',
    'A payment of 16 KB is refused',
    rfcs[9110](
      '5.4',
      'A server that receives a request header field line [...] larger than it wishes to process MUST respond with an appropriate 4xx',
      'must',
    ),
    () => [['PAYMENT-SIGNATURE', 'A'.repeat(16 * 1024)]],
  ),
  refusedSigned(
    'other-network',
    'A payment on a network that was not offered is refused',
    verification('Verify the Token and Network match the requirement.'),
    () => ({ accepted: { network: 'eip155:999999937' } }),
  ),
  refusedSigned(
    'other-asset',
    'A payment in a token that was not offered is refused',
    verification('Verify the Token and Network match the requirement.'),
    () => ({ accepted: { asset: elsewhere } }),
  ),
  refusedSigned(
    'other-scheme',
    'A payment by a scheme that was not offered is refused',
    x402('9. Error Handling', '', 'invalid_scheme: Specified payment scheme is not supported', 'must'),
    () => ({ accepted: { scheme: 'seller-check' } }),
  ),
  refusedSigned(
    'lower-amount',
    'A payment that lowers the price is refused',
    x402(
      '6.1.2 Verification Steps',
      '',
      'Amount Validation: Ensure the payment amount exactly matches the required amount',
      'must',
    ),
    () => ({ accepted: { amount: '0' } }),
  ),
  refusedSigned(
    'lower-value',
    'A payment that authorizes less than the price is refused',
    verification(
      'Verify the authorization parameters (Amount, Validity Window) meet the PaymentRequirements.',
    ),
    () => ({ authorization: { value: '0' } }),
  ),
  refusedSigned(
    'other-payee',
    'A payment to another payee is refused',
    x402(
      '6.1.2 Verification Steps',
      '',
      'Parameter Matching: Confirm authorization parameters match the original payment requirements',
      'must',
    ),
    () => ({ authorization: { to: elsewhere } }),
  ),
  refusedSigned(
    'expired',
    'A payment that has expired is refused',
    x402(
      '6.1.2 Verification Steps',
      '',
      'Time Window Check: Verify the authorization is within its valid time range',
      'must',
    ),
    (now) => ({ authorization: { validBefore: String(now - 60) } }),
  ),
  refusedSigned(
    'not-yet-valid',
    'A payment that is valid in an hour is refused',
    x402(
      '6.1.2 Verification Steps',
      '',
      'Time Window Check: Verify the authorization is within its valid time range',
      'must',
    ),
    (now) => ({ authorization: { validAfter: String(now + 3_600), validBefore: String(now + 7_200) } }),
  ),
  refusedSigned(
    'zero-signature',
    'A signature of zeros is refused',
    verification('Verify the signature is valid and recovers to the authorization.from address.'),
    () => ({ signature: zeros }),
  ),
  refusedSigned(
    'foreign-signature',
    "A signature by another key than the payer's is refused",
    verification('Verify the signature is valid and recovers to the authorization.from address.'),
    () => ({ signer: privateKeyToAccount(generatePrivateKey()) }),
  ),
  refusedSigned(
    'without-funds',
    'A payment of a wallet without funds is refused',
    verification('Verify the client has sufficient balance of the asset.'),
    () => ({}),
  ),
  {
    id: 'payment.challenged-again',
    title: 'A payment that fails gets a new challenge',
    rule: x402(
      '2. Core Payment Flow',
      '',
      'If no valid payment is attached, the server responds with a payment required signal and payment requirements',
      'should',
    ),
    check: overX402(async (challenge, seller) => {
      const payment = await plausible(challenge, { signature: zeros });
      const answer = await seller.send({ headers: [['PAYMENT-SIGNATURE', encodePayment(payment)]] });
      if (answer.status !== 402) return notApplicable(`The answer is ${answer.status}.`);
      return x402Of(answer) ? pass : fail('The 402 has no PAYMENT-REQUIRED.', answer);
    }),
  },
];
