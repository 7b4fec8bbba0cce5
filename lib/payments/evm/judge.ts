import type { AvailableOffer } from '@/lib/payments/network-registry';
import type { EvmSigned, Payment } from '@/lib/payments/payment';

/** An authorization must stay valid through verification, queueing and a slow block. */
const secondsLeftMin = 30n;
/** Payers' clocks may be fast. */
const clockSkewSeconds = 60n;

/**
 * Checks an authorization against the operation's terms without asking the chain: payee, exact amount, validity window.
 * @param windowSecondsMax how far ahead the challenge allows it to be valid
 * @returns a reason code, or null when it is valid
 */
export function evmRefusal(
  payment: Payment<EvmSigned>,
  offer: AvailableOffer,
  terms: { amountAtomic: bigint; windowSecondsMax: number },
  now: Date,
): string | null {
  const { authorization } = payment.signed;
  if (payment.payTo !== offer.payTo) return 'invalid_exact_evm_recipient_mismatch';
  if (payment.amountAtomic !== terms.amountAtomic) {
    return 'invalid_exact_evm_payload_authorization_value_mismatch';
  }
  const seconds = BigInt(Math.floor(now.getTime() / 1000));
  const validBefore = BigInt(authorization.validBefore);
  const validBeforeMax = seconds + BigInt(terms.windowSecondsMax) + clockSkewSeconds;
  if (validBefore < seconds + secondsLeftMin || validBefore > validBeforeMax) {
    return 'invalid_exact_evm_payload_authorization_valid_before';
  }
  if (BigInt(authorization.validAfter) > seconds)
    return 'invalid_exact_evm_payload_authorization_valid_after';
  return null;
}

/** Some wallets write v as 0 or 1. The token requires 27 or 28, and a payment must have only one form. */
export function canonicalSignature(signature: unknown): unknown {
  if (typeof signature !== 'string' || signature.length !== 132) return signature;
  if (signature.endsWith('00')) return `${signature.slice(0, -2)}1b`;
  if (signature.endsWith('01')) return `${signature.slice(0, -2)}1c`;
  return signature;
}
