/** The problem types of the Payment scheme (core 2.8) that we speak, with their statuses. */
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

/** Reason codes of this rail; the rest are the chain's and mean that verification failed. */
const byReason: Readonly<Record<string, { type: ProblemType; detail: string; status?: number }>> = {
  several_credentials: {
    type: 'malformed-credential',
    detail: 'A request carries one credential.',
    status: 400,
  },
  malformed_credential: { type: 'malformed-credential', detail: 'The credential cannot be read.' },
  method_unsupported: {
    type: 'method-unsupported',
    detail: 'Only method evm with intent charge is offered.',
  },
  credential_type_unsupported: {
    type: 'malformed-credential',
    detail: 'Only credentials of type authorization are taken.',
  },
  challenge_not_ours: { type: 'invalid-challenge', detail: 'The id does not belong to this challenge.' },
  challenge_for_another_operation: {
    type: 'invalid-challenge',
    detail: 'The challenge was issued for another operation or at another price.',
  },
  challenge_expired: { type: 'payment-expired', detail: 'The challenge has expired.' },
  nonce_not_bound: { type: 'verification-failed', detail: 'The nonce is not the hash of the challenge.' },
  source_mismatch: { type: 'verification-failed', detail: 'The source is not the wallet that signed.' },
  body_digest_mismatch: {
    type: 'verification-failed',
    detail: 'The body is not the one that the challenge was issued for.',
  },
  invalid_exact_evm_insufficient_balance: {
    type: 'payment-insufficient',
    detail: 'The wallet does not hold the amount.',
  },
  invalid_exact_evm_payload_authorization_valid_before: {
    type: 'payment-expired',
    detail: 'The authorization ends too soon or too late.',
  },
};

/** An RFC 9457 problem for a reason code, with the facts of our own error body beside it. */
export function problemFor(reason: string | null, facts: { docs: string }) {
  const found =
    reason === null
      ? { type: 'payment-required' as const, detail: 'This call must be paid. Nothing was charged yet.' }
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
