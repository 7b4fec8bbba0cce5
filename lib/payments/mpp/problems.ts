import { invalidSignature } from '@/lib/payments/evm/token';

/** The problem types of the Payment scheme (core 2.8) that we use, with their statuses. */
const problems = {
  'payment-required': { status: 402, title: 'Payment Required' },
  'payment-insufficient': { status: 402, title: 'Payment Insufficient' },
  'payment-expired': { status: 402, title: 'Payment Expired' },
  'verification-failed': { status: 402, title: 'Verification Failed' },
  'method-unsupported': { status: 400, title: 'Method Unsupported' },
  'malformed-credential': { status: 402, title: 'Malformed Credential' },
  'invalid-challenge': { status: 402, title: 'Invalid Challenge' },
} as const;

type ProblemType = keyof typeof problems;

/** Reason codes of this rail. All other codes come from the chain and mean that verification failed. */
const byReason: Readonly<Record<string, { type: ProblemType; detail: string; status?: number }>> = {
  several_credentials: {
    type: 'malformed-credential',
    detail: 'Send exactly one credential.',
    status: 400,
  },
  malformed_credential: { type: 'malformed-credential', detail: 'The credential cannot be read.' },
  method_unsupported: {
    type: 'method-unsupported',
    detail: 'Use method evm with intent charge; no other is supported.',
  },
  credential_type_unsupported: {
    type: 'malformed-credential',
    detail: 'Use a credential of type authorization; no other is supported.',
  },
  challenge_not_ours: {
    type: 'invalid-challenge',
    detail: 'The ID does not belong to this challenge. Request a new challenge.',
  },
  challenge_for_another_operation: {
    type: 'invalid-challenge',
    detail: 'The challenge is for another operation or another price. Request a new challenge.',
  },
  challenge_expired: {
    type: 'payment-expired',
    detail: 'The challenge has expired. Request a new challenge.',
  },
  nonce_not_bound: { type: 'verification-failed', detail: 'The nonce is not the hash of the challenge.' },
  [invalidSignature]: {
    type: 'verification-failed',
    detail: "The signature is not that of the payer's key. Contract wallets pay over x402.",
  },
  source_mismatch: { type: 'verification-failed', detail: 'The source is not the wallet that signed.' },
  body_digest_mismatch: {
    type: 'verification-failed',
    detail: 'The body differs from the one the challenge was issued for. Request a new challenge.',
  },
  invalid_exact_evm_insufficient_balance: {
    type: 'payment-insufficient',
    detail: 'The wallet does not hold enough USDC.',
  },
  invalid_exact_evm_payload_authorization_valid_before: {
    type: 'payment-expired',
    detail: 'The authorization expires too soon or too late.',
  },
};

/** An RFC 9457 problem for a reason code, with the fields of our error body. */
export function problemFor(reason: string | null, facts: { docs: string }) {
  const found =
    reason === null
      ? { type: 'payment-required' as const, detail: 'This call must be paid for. Nothing has been charged.' }
      : (byReason[reason] ?? {
          type: 'verification-failed' as const,
          detail: 'The payment was not accepted.',
        });
  const { status, title } = problems[found.type];
  return {
    type: `https://paymentauth.org/problems/${found.type}`,
    title,
    status: 'status' in found && found.status ? found.status : status,
    detail: found.detail,
    code: 'payment_required',
    ...(reason === null ? {} : { reason }),
    payment: 'none',
    retry: 'pay',
    docs: facts.docs,
  };
}
