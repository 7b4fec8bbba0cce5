import type { Rule } from '../case';

const x402Specs = 'https://github.com/coinbase/x402/blob/main/specs';
const mppSpecs = 'https://github.com/tempoxyz/mpp-specs/blob/main/specs';

const http = (section: string, sentence: string, strength: Rule['strength'] = 'must'): Rule => ({
  document: 'x402 version 2, transport HTTP',
  section,
  sentence,
  url: `${x402Specs}/transports-v2/http.md#${anchorOf(section)}`,
  strength,
});

const core = (section: string, sentence: string, strength: Rule['strength'] = 'must'): Rule => ({
  document: 'x402 version 2',
  section,
  sentence,
  url: `${x402Specs}/x402-specification-v2.md`,
  strength,
});

const exactEvm = (section: string, sentence: string): Rule => ({
  document: 'x402 version 2, scheme exact on EVM',
  section,
  sentence,
  url: `${x402Specs}/schemes/exact/scheme_exact_evm.md#${anchorOf(section)}`,
  strength: 'must',
});

const identifier = (sentence: string): Rule => ({
  document: 'x402 version 2, extension payment-identifier',
  section: 'Idempotency Behavior',
  sentence,
  url: `${x402Specs}/extensions/payment_identifier.md#idempotency-behavior`,
  strength: 'must',
});

const mppCore = (section: string, sentence: string, strength: Rule['strength'] = 'must'): Rule => ({
  document: 'MPP, HTTP Payment authentication scheme, draft-httpauth-payment-00',
  section,
  sentence,
  url: `${mppSpecs}/core/draft-httpauth-payment-00.md`,
  strength,
});

const mppCharge = (section: string, sentence: string, strength: Rule['strength'] = 'must'): Rule => ({
  document: 'MPP, charge intent, draft-payment-intent-charge-00',
  section,
  sentence,
  url: `${mppSpecs}/intents/draft-payment-intent-charge-00.md`,
  strength,
});

const mppEvm = (section: string, sentence: string, strength: Rule['strength'] = 'must'): Rule => ({
  document: 'MPP, EVM charge, draft-evm-charge-00',
  section,
  sentence,
  url: `${mppSpecs}/methods/evm/draft-evm-charge-00.md`,
  strength,
});

const eip3009 = (sentence: string): Rule => ({
  document: 'EIP-3009',
  section: 'Specification',
  sentence,
  url: 'https://eips.ethereum.org/EIPS/eip-3009#specification',
  strength: 'must',
});

const anchorOf = (section: string) =>
  section
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

/** The sentences that the cases rest on. */
export const rules = {
  success: http('Error Handling', 'Success | 200 | Payment verified and settled successfully'),
  paymentFailed: http('Error Handling', 'Payment Failed | 402 | Payment verification or settlement failed'),
  serverError: http('Error Handling', 'Server Error | 500 | Internal server error during payment processing'),
  paymentResponse: http(
    'Settlement Response Delivery',
    'Servers communicate payment settlement results using the `PAYMENT-RESPONSE` header.',
  ),
  settleResponse: core(
    '5.3.2 SettlementResponse, Field Descriptions',
    '`success` | Required | Indicates whether the payment settlement was successful',
  ),
  settleTransaction: core(
    '5.3.2 SettlementResponse, Field Descriptions',
    '`transaction` | Required | Blockchain transaction hash (empty string if settlement failed)',
  ),
  singleUse: core(
    '10.1 Replay Attack Prevention',
    'EIP-3009 Nonce: Each authorization includes a unique 32-byte nonce to prevent replay attacks',
  ),
  exactAmount: core(
    '6.1.2 Verification Steps',
    'Amount Validation: Ensure the payment amount exactly matches the required amount',
  ),
  timeWindow: core(
    '6.1.2 Verification Steps',
    'Time Window Check: Verify the authorization is within its valid time range',
  ),
  parameters: core(
    '6.1.2 Verification Steps',
    'Parameter Matching: Confirm authorization parameters match the original payment requirements',
  ),
  balance: core(
    '6.1.2 Verification Steps',
    'Balance Verification: Confirm the payer has sufficient token balance for the transfer',
  ),
  simulation: core(
    '6.1.2 Verification Steps',
    'Transaction Simulation: Simulate the `transferWithAuthorization` transaction to ensure it would succeed',
  ),
  settlement: core(
    '6.1.3 Settlement',
    'Settlement is performed by calling the `transferWithAuthorization` function on the ERC-20 contract',
  ),
  signature: exactEvm(
    'Phase 2: Verification Logic',
    'Verify the signature is valid and recovers to the `authorization.from` address.',
  ),
  tokenAndNetwork: exactEvm(
    'Phase 2: Verification Logic',
    'Verify the Token and Network match the requirement.',
  ),
  oneTime: exactEvm('Summary', 'EIP-3009 | One-time use'),
  unusedNonce: eip3009('require(!authorizationState[from][nonce], "authorization is used or canceled")'),
  sameIdentifier: identifier('Same `id`, same payload | Return cached response'),
  otherPayload: identifier('Same `id`, different payload | Return 409 Conflict'),
  mppGranted: mppCore('Status Codes', 'Payment verified, access granted | 200'),
  mppVerificationFailed: mppCore(
    'Receipt Status Semantics',
    'Servers MUST return 402 with a fresh challenge and appropriate problem type when payment verification fails.',
  ),
  mppReceiptOnErrors: mppCore(
    'Receipt Status Semantics',
    'Servers MUST NOT return a Payment-Receipt header on error responses.',
  ),
  mppReceiptPrivate: mppCore(
    'Caching',
    'Responses containing Payment-Receipt headers MUST include Cache-Control: private',
  ),
  mppConcurrent: mppCore(
    'Concurrent Request Handling',
    'Servers MUST ensure that concurrent requests with the same Payment credential result in at most one successful payment settlement and one resource delivery.',
  ),
  mppIdempotencyKey: mppCore(
    'Idempotency and Side Effects',
    'the server SHOULD return the same response as the original successful request without re-executing the operation',
    'should',
  ),
  mppBinding: mppCore(
    'Challenge Binding',
    'Servers MUST verify that credentials present an id matching the expected binding.',
  ),
  mppDigest: mppCore('Request Body Digest Binding', 'Reject the credential if the digests do not match'),
  mppUsedOnce: mppCharge('Replay Protection', 'Each challenge id MUST be single-use.'),
  mppAtomic: mppCharge(
    'Atomicity',
    'Either the full resource is provided (payment succeeded) or access is denied (payment failed).',
    'should',
  ),
  mppFinality: mppCharge(
    'Finality',
    'Servers SHOULD understand the finality guarantees of their accepted payment methods',
    'should',
  ),
  mppReceipt: mppEvm(
    'Receipt Generation',
    'Upon successful settlement, servers MUST return a Payment-Receipt header',
  ),
  mppIncluded: mppEvm(
    'Confirmation Requirements',
    'Servers MUST wait for a successful transaction receipt before returning a Payment-Receipt header.',
  ),
  mppRecipient: mppEvm('Constraints', '`to` MUST match the challenge `recipient`.'),
  mppValue: mppEvm('Constraints', '`value` MUST match the challenge `amount`.'),
  mppNonce: mppEvm('Authorization Payload', 'bytes32 nonce — MUST be set to challengeHash'),
  mppAuthorization: mppEvm(
    'Authorization Verification',
    'The EIP-712 signature is valid and recovers to the `from` address',
  ),
  mppConsumed: mppEvm(
    'Replay Protection',
    'Before accepting a credential, the server MUST check whether its replay token has already been consumed.',
  ),
} as const satisfies Record<string, Rule>;
