import type { Rule } from '../case';
import { documents } from '../free/rules';

type Strength = Rule['strength'];

const http = (section: string, sentence: string, strength: Strength = 'must'): Rule =>
  documents.x402Http(section, anchorOf(section), sentence, strength);

const core = (section: string, sentence: string, strength: Strength = 'must'): Rule =>
  documents.x402(section, '', sentence, strength);

const exactEvm = (section: string, sentence: string): Rule =>
  documents.x402Evm(section, anchorOf(section), sentence, 'must');

const identifier = (section: string, sentence: string, strength: Strength = 'must'): Rule =>
  documents.paymentIdentifier(section, anchorOf(section), sentence, strength);

const mppCore = (section: string, sentence: string, strength: Strength = 'must'): Rule =>
  documents.mpp(section, '', sentence, strength);

const mppCharge = (section: string, sentence: string, strength: Strength = 'must'): Rule =>
  documents.mppCharge(section, '', sentence, strength);

const mppEvm = (section: string, sentence: string): Rule => documents.mppEvm(section, '', sentence, 'must');

const anchorOf = (section: string) =>
  section
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

/** The sentences that the cases rest on. */
export const rules = {
  success: http('Error Handling', 'Success | 200 | Payment verified and settled successfully'),
  paymentFailed: http('Error Handling', 'Payment Failed | 402 | Payment verification or settlement failed'),
  paymentResponse: http(
    'Settlement Response Delivery',
    'Servers communicate payment settlement results using the `PAYMENT-RESPONSE` header.',
  ),
  settleResponse: core(
    '5.3.2 SettlementResponse, Field Descriptions',
    '`success`: Indicates whether the payment settlement was successful',
  ),
  settleTransaction: core(
    '5.3.2 SettlementResponse, Field Descriptions',
    '`transaction`: Blockchain transaction hash (empty string if settlement failed)',
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
  signature: exactEvm(
    'Phase 2: Verification Logic',
    'Verify the signature is valid and recovers to the `authorization.from` address.',
  ),
  tokenAndNetwork: exactEvm(
    'Phase 2: Verification Logic',
    'Verify the Token and Network match the requirement.',
  ),
  oneTime: exactEvm('Summary', 'EIP-3009: One-time use'),
  sameIdentifier: identifier('Idempotency Behavior', 'Same `id`, same payload | Return cached response'),
  otherPayload: identifier('Idempotency Behavior', 'Same `id`, different payload | Return 409 Conflict'),
  lostResponse: identifier(
    'Recovering a Lost Response',
    'A client that loses the response to a paid request can resend the identical `PaymentPayload`, with the same `id`, to get that response back.',
    'should',
  ),
  storedResponse: identifier(
    'Recovering a Lost Response',
    'Store the response as it was sent, including the `PAYMENT-RESPONSE` header.',
    'should',
  ),
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
    'Servers MUST wait for a successful transaction receipt (i.e., the transaction has been included in at least one block) before returning a Payment-Receipt header.',
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
