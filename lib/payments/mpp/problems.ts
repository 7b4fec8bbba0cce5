import type { NextStep } from '@/lib/catalog/errors/codes';
import { reasonOf } from '@/lib/catalog/errors/payment-reasons';

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

/** The problem types of reason codes. All other codes mean that verification failed. */
const typesOf: Readonly<Record<string, ProblemType>> = {
  several_credentials: 'malformed-credential',
  malformed_credential: 'malformed-credential',
  method_unsupported: 'method-unsupported',
  credential_type_unsupported: 'malformed-credential',
  challenge_not_ours: 'invalid-challenge',
  challenge_for_another_operation: 'invalid-challenge',
  challenge_expired: 'payment-expired',
  invalid_exact_evm_insufficient_balance: 'payment-insufficient',
  invalid_exact_evm_payload_authorization_valid_before: 'payment-expired',
  invalid_exact_evm_payload_authorization_valid_before_too_soon: 'payment-expired',
};

/** Two credentials make a request that is not valid. */
const statuses: Readonly<Record<string, number>> = { several_credentials: 400 };

/** What a problem says beside its type and reason. */
interface ProblemFacts {
  readonly message: string;
  readonly docs: string;
}

/** An RFC 9457 problem for a reason code, with the fields of our error body. */
export function problemFor(reason: string | null, { message, ...facts }: ProblemFacts) {
  const type = reason === null ? 'payment-required' : (typesOf[reason] ?? 'verification-failed');
  const { status, title } = problems[type];
  const retry: NextStep = reason === null ? 'pay' : reasonOf(reason).retry;
  return {
    type: `https://paymentauth.org/problems/${type}`,
    title,
    status: statuses[reason ?? ''] ?? status,
    detail: message,
    code: 'payment_required',
    ...(reason === null ? {} : { reason }),
    payment: 'none',
    retry,
    ...facts,
  };
}
