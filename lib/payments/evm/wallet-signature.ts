import { encodeFunctionData, type Hex, isErc6492Signature, pad, parseAbi, parseErc6492Signature } from 'viem';
import { type EvmSigned, evmSignedSchema } from '@/lib/payments/evm/evm-signed';
import type { EvmNetwork, Offer } from '@/lib/payments/network-offers';
import type { Payment } from '@/lib/payments/payment';
import { canonicalSignature, recognizeEvmPayment, toPayment } from './authorization';
import { invalidSignature } from './usdc-token';

/** The longest signature that is read, in bytes, with its wrapper. Most of a wrapper is code that we never call. */
const wrappedBytesMax = 3_072;

/** Why a signed authorization cannot be a payment, as a reason code. */
type Unreadable = 'invalid_payload' | 'signature_too_long' | typeof invalidSignature;

/**
 * Reads a signed authorization whose signature may be that of a key or of a contract wallet. A signature in an ERC-6492
 * wrapper is unwrapped. The deployment call in the wrapper is ignored: deploying a wallet is up to the payer.
 * @returns the payment, whose payer is proven only by the signature of a key
 */
export function readWalletPayment(
  offer: Offer<EvmNetwork>,
  authorization: unknown,
  signature: unknown,
): Payment<EvmSigned> | Unreadable {
  if (typeof signature !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(signature)) return 'invalid_payload';
  if (signature.length > 2 + 2 * wrappedBytesMax) return 'signature_too_long';
  // In lower case, so that equal signatures are equal strings. The check above ensures that it starts with 0x.
  const inner = unwrap(signature.toLowerCase() as Hex);
  if (inner === null) return invalidSignature;
  const { isWrapped } = inner;
  const parsed = evmSignedSchema.safeParse({
    family: 'evm',
    authorization,
    signature: inner.signature,
    signer: isWrapped ? 'undeployed' : 'wallet',
  });
  if (!parsed.success) {
    const isTooLong = parsed.error.issues.every(({ path: [field] }) => field === 'signature');
    return isTooLong ? 'signature_too_long' : 'invalid_payload';
  }
  const signed = parsed.data;
  // Keys need no wrapper.
  if (isWrapped) return toPayment(offer, signed);
  const byKey = { ...signed, signature: canonicalSignature(inner.signature) };
  return recognizeEvmPayment(offer, byKey) ?? toPayment(offer, signed);
}

/**
 * The signature in an ERC-6492 wrapper, or the signature itself when it is not wrapped.
 * @returns null for a wrapper that cannot be read, or that contains another wrapper
 */
function unwrap(signature: Hex): { signature: Hex; isWrapped: boolean } | null {
  if (!isErc6492Signature(signature)) return { signature, isWrapped: false };
  try {
    const { signature: inner } = parseErc6492Signature(signature);
    return isErc6492Signature(inner) ? null : { signature: inner, isWrapped: true };
  } catch {
    return null;
  }
}

const walletAbi = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);
/** EIP-1271's magic value, as the word that a wallet returns. */
const valid = pad('0x1626ba7e', { dir: 'right', size: 32 });

/** Calldata that asks a wallet whether a signature is its own (EIP-1271). */
export function encodeIsValidSignature(digest: Hex, { signature }: EvmSigned): Hex {
  return encodeFunctionData({ abi: walletAbi, functionName: 'isValidSignature', args: [digest, signature] });
}

/** Whether a wallet confirmed that the signature is its own, read as the token reads it. */
export function isMagicValue(answer: Hex | undefined): boolean {
  return answer?.slice(0, 66) === valid;
}
