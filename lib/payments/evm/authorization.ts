import { authorizationTypes } from '@x402/evm';
import secp256k1 from 'secp256k1';
import { domainSeparator, getAddress, type Hex } from 'viem';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import type { EvmNetwork, Offer } from '@/lib/payments/network-offers';
import type { AvailableOffer } from '@/lib/payments/network-registry';
import type { Payment } from '@/lib/payments/payment';
import { authorizationWords } from './authorization-words';
import { keccak256 } from './keccak';

/** Half the order of secp256k1. The token rejects a larger s, which would be a second form of the same signature. */
const sMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Cached by offer, because computing one takes as long as checking a signature. */
const separators = new WeakMap<Offer<EvmNetwork>, Hex>();

/**
 * The EIP-712 domain separator that the token must report. It is checked against the chain at startup, because with a wrong
 * name or version every valid signature would fail.
 */
export function usdcDomainSeparator(offer: Offer<EvmNetwork>): Hex {
  const known = separators.get(offer);
  if (known) return known;
  const { chainId, usdcDomain } = offer.network;
  const domain = { ...usdcDomain, chainId, verifyingContract: getAddress(offer.asset) };
  const separator = domainSeparator({ domain });
  separators.set(offer, separator);
  return separator;
}

/** The type hashes of EIP-712, the first words of every struct. Both kinds of authorization have the same fields. */
const fields = authorizationTypes.TransferWithAuthorization.map(({ type, name }) => `${type} ${name}`);
const typeHashOf = (name: string) => keccak256(Buffer.from(`${name}(${fields})`)).toString('hex');
const transferTypeHash = typeHashOf('TransferWithAuthorization');
const receiveTypeHash = typeHashOf('ReceiveWithAuthorization');

/**
 * The digest that the payer signs (EIP-712 over EIP-3009's TransferWithAuthorization). Every field is one word, so the
 * struct is their concatenation.
 */
function digest(
  separator: Hex,
  { authorization }: Pick<EvmSigned, 'authorization'>,
  typeHash = transferTypeHash,
): Buffer {
  const struct = Buffer.from(typeHash + authorizationWords(authorization), 'hex');
  return keccak256(Buffer.concat([Buffer.from(`1901${separator.slice(2)}`, 'hex'), keccak256(struct)]));
}

/**
 * Recovers the signer's address in lower case; null when that fails. Uses native code, because JavaScript elliptic
 * curves take a millisecond.
 */
export function recoverSigner(digestBytes: Buffer, signature: Hex): string | null {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const v = bytes[64];
  if (bytes.length !== 65 || (v !== 27 && v !== 28)) return null;
  if (BigInt(`0x${bytes.subarray(32, 64).toString('hex')}`) > sMax) return null;
  try {
    const publicKey = secp256k1.ecdsaRecover(bytes.subarray(0, 64), v - 27, digestBytes, false);
    return `0x${keccak256(publicKey.subarray(1)).toString('hex', 12)}`;
  } catch {
    // r or s is out of range, or r matches no point on the curve.
    return null;
  }
}

/** Dates end at 8.64e15 ms. A longer authorization is later refused for its validity window. */
function toDate(seconds: bigint): Date {
  const max = 8_640_000_000_000n;
  return new Date(Number(seconds < max ? seconds : max) * 1000);
}

/** The EIP-712 digest that the payer of an authorization signed, for `isValidSignature` of contract wallets. */
export function authorizationDigest(offer: Offer<EvmNetwork>, signed: EvmSigned): Hex {
  return `0x${digest(usdcDomainSeparator(offer), signed).toString('hex')}`;
}

/** The digest that is signed for a transfer that only its recipient may submit (EIP-3009's ReceiveWithAuthorization). */
export function receiveDigest(offer: Offer<EvmNetwork>, authorization: EvmSigned['authorization']): Buffer {
  return digest(usdcDomainSeparator(offer), { authorization }, receiveTypeHash);
}

/**
 * Reads a signed authorization and verifies that the signature is that of the payer's key. Amount and validity are not
 * checked, because a payment must be recognized even long after it has expired.
 * @returns null when the signature is not that of `from`'s key
 */
export function recognizeEvmPayment(offer: Offer<EvmNetwork>, signed: EvmSigned): Payment<EvmSigned> | null {
  const signer = recoverSigner(digest(usdcDomainSeparator(offer), signed), signed.signature);
  if (signer !== signed.authorization.from.toLowerCase()) return null;
  return toPayment(offer, { ...signed, signer: 'key' });
}

/** A signed authorization as a payment. Nothing is verified. */
export function toPayment(offer: Offer<EvmNetwork>, signed: EvmSigned): Payment<EvmSigned> {
  return {
    network: offer.network.name,
    asset: offer.asset,
    payer: getAddress(signed.authorization.from),
    authorization: signed.authorization.nonce.toLowerCase(),
    amountAtomic: BigInt(signed.authorization.value),
    payTo: getAddress(signed.authorization.to),
    validBefore: toDate(BigInt(signed.authorization.validBefore)),
    signed,
  };
}

/** An authorization must stay valid through verification, queueing and a slow block. */
const secondsLeftMin = 30n;
/** Payers' clocks may be fast. */
const clockSkewSeconds = 60n;

const validBeforeReason = 'invalid_exact_evm_payload_authorization_valid_before';
const validAfterReason = 'invalid_exact_evm_payload_authorization_valid_after';

/** Whether a reason code of `evmRefusal` is about the validity window alone: payee and amount are those of the offer. */
export function isOfTime(reason: string): boolean {
  return reason.startsWith(validBeforeReason) || reason === validAfterReason;
}

/**
 * Checks the end of an authorization that is used now. Times in seconds.
 * @returns a reason code, or null: x402's own for an expired one, and codes of ours for one that ends too soon or too late
 */
export function windowRefusal(
  validBefore: bigint,
  nowSeconds: bigint,
  windowSecondsMax: number,
): string | null {
  if (validBefore <= nowSeconds) return validBeforeReason;
  if (validBefore < nowSeconds + secondsLeftMin) return `${validBeforeReason}_too_soon`;
  const isTooLate = validBefore > nowSeconds + BigInt(windowSecondsMax) + clockSkewSeconds;
  return isTooLate ? `${validBeforeReason}_too_late` : null;
}

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
  const refusal = windowRefusal(validBefore, seconds, terms.windowSecondsMax);
  if (refusal !== null) return refusal;
  return BigInt(authorization.validAfter) > seconds ? validAfterReason : null;
}

/** Some wallets write v as 0 or 1. The token requires 27 or 28, and a payment must have only one form. */
export function canonicalSignature(signature: Hex): Hex;
export function canonicalSignature(signature: unknown): unknown;
export function canonicalSignature(signature: unknown): unknown {
  if (typeof signature !== 'string' || signature.length !== 132) return signature;
  if (signature.endsWith('00')) return `${signature.slice(0, -2)}1b`;
  if (signature.endsWith('01')) return `${signature.slice(0, -2)}1c`;
  return signature;
}
