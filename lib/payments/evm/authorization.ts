import { authorizationTypes } from '@x402/evm';
import secp256k1 from 'secp256k1';
import { domainSeparator, getAddress, type Hex, hashStruct, keccak256 } from 'viem';
import { type EvmNetwork, type Offer, usdcDomain } from '@/lib/payments/networks';
import type { EvmSigned, Payment } from '@/lib/payments/payment';

/** Half the order of secp256k1: the token refuses a larger s, which would be a second spelling of one signature. */
const sMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * The EIP-712 domain separator that the token on this network must report. Compared with the chain at start: with a
 * wrong name or version every honest signature would fail, and nothing else would point to it.
 */
export function usdcDomainSeparator(offer: Offer<EvmNetwork>): Hex {
  return domainSeparator({
    domain: {
      ...usdcDomain,
      chainId: offer.network.chainId,
      verifyingContract: getAddress(offer.asset),
    },
  });
}

/** The digest that the payer signs (EIP-712 over EIP-3009's TransferWithAuthorization). */
function digest(separator: Hex, { authorization }: EvmSigned): Buffer {
  const struct = hashStruct({
    primaryType: 'TransferWithAuthorization',
    types: { TransferWithAuthorization: [...authorizationTypes.TransferWithAuthorization] },
    data: {
      from: authorization.from,
      to: authorization.to,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce,
    },
  });
  return Buffer.from(keccak256(`0x1901${separator.slice(2)}${struct.slice(2)}`).slice(2), 'hex');
}

/**
 * The address whose key made the signature, or null when it cannot be recovered. Native code: a paid call is not worth
 * a millisecond of JavaScript elliptic curves. Only keys are recognised; contract wallets are refused (docs/decisions).
 */
function recoverSigner(digestBytes: Buffer, signature: Hex): string | null {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const v = bytes[64];
  if (v === undefined || (v !== 27 && v !== 28)) return null;
  if (BigInt(`0x${bytes.subarray(32, 64).toString('hex')}`) > sMax) return null;
  try {
    const publicKey = secp256k1.ecdsaRecover(bytes.subarray(0, 64), v - 27, digestBytes, false);
    return getAddress(`0x${keccak256(publicKey.subarray(1)).slice(-40)}`);
  } catch {
    // r or s out of range, or no such point on the curve.
    return null;
  }
}

/** Dates end at 8.64e15 ms; an authorization that outlives them is refused later for its window. */
function toDate(seconds: bigint): Date {
  const max = 8_640_000_000_000n;
  return new Date(Number(seconds < max ? seconds : max) * 1000);
}

/**
 * Reads a signed authorization: whom it charges, proven by the signature; what it moves, as written. Judges neither
 * amount nor window, because a payment must be recognised long after it has become unusable.
 * @returns null when the signature is not that of `from`
 */
export function recogniseEvmPayment(
  offer: Offer<EvmNetwork>,
  separator: Hex,
  signed: EvmSigned,
): Payment<EvmSigned> | null {
  const signer = recoverSigner(digest(separator, signed), signed.signature);
  const payer = getAddress(signed.authorization.from);
  if (signer !== payer) return null;
  return {
    network: offer.network.name,
    asset: offer.asset,
    payer,
    authorization: signed.authorization.nonce.toLowerCase(),
    amountAtomic: BigInt(signed.authorization.value),
    payTo: getAddress(signed.authorization.to),
    validBefore: toDate(BigInt(signed.authorization.validBefore)),
    signed,
  };
}
