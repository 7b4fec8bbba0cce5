import { getAddress, type Hex, hashMessage } from 'viem';
import { canonicalSignature, recoverSigner } from '@/lib/payments/evm/authorization';
import type { NetworkName } from '@/lib/payments/network-offers';
import type { SignedIn, SignInRefusal } from './sign-in-message';

/** A wallet that has proven that it makes a request. */
export interface SignedInWallet {
  /** Checksummed EVM address or base58 Solana address. */
  readonly address: string;
  /**
   * The network of a contract wallet; null for a wallet with a key. On another network, the same address may hold a different
   * contract with a different owner.
   */
  readonly onlyOn: NetworkName | null;
}

/**
 * Asks a contract wallet whether a signature of a hash is valid.
 * @throws when nobody answers
 */
export type AskContract = (address: Hex, hash: Hex, signature: Hex) => Promise<boolean>;

type Judged = { readonly wallet: SignedInWallet } | { readonly refusal: SignInRefusal };

/**
 * Verifies the signature of a message with the official package. For EVM wallets, the package passes us the signed text.
 * Signatures by keys are checked here, including those of delegated accounts. A contract is asked only about a signature that
 * is not by the address's own key.
 * @param network of the message's chain
 * @param askContract null for wallets that are not EVM accounts
 * @throws what `askContract` throws
 */
export async function judgeSignature(
  signed: SignedIn,
  network: NetworkName,
  askContract: AskContract | null,
): Promise<Judged> {
  if (!isWellFormed(signed)) return { refusal: 'invalid_siwx_malformed_signature' };
  const verification: { answer?: Promise<boolean> } = {};
  const evmVerifier = async ({ address, message, signature }: EvmProof): Promise<boolean> => {
    const hash = hashMessage(message);
    if (signerOf(hash, signature) === address.toLowerCase()) return true;
    verification.answer = askContract?.(getAddress(address), hash, signature);
    return (await verification.answer) ?? false;
  };
  // Loaded on first use, because few processes ever need it. It throws when a field has a value that the text cannot contain.
  const { verifySIWxSignature } = await import('@x402/extensions/sign-in-with-x');
  const result = await verifySIWxSignature(signed, { evmVerifier }).catch(() => ({ isValid: false }));
  // The package treats a contract that did not answer like one that refused, so this throws instead.
  const isContract = (await verification.answer) !== undefined;
  if (!result.isValid) return { refusal: 'invalid_siwx_signature' };
  const address = signed.type === 'eip191' ? getAddress(signed.address) : signed.address;
  return { wallet: { address, onlyOn: isContract ? network : null } };
}

interface EvmProof {
  readonly address: Hex;
  readonly message: string;
  readonly signature: Hex;
}

function signerOf(hash: Hex, signature: Hex): string | null {
  const canonical = canonicalSignature(signature);
  const isOfKey = typeof canonical === 'string' && canonical.length === 132;
  return isOfKey ? recoverSigner(Buffer.from(hash.slice(2), 'hex'), canonical as Hex) : null;
}

function isWellFormed({ type, address, signature }: SignedIn): boolean {
  return type === 'eip191'
    ? /^0x[0-9a-fA-F]{40}$/.test(address) && /^0x([0-9a-fA-F]{2}){1,4096}$/.test(signature)
    : /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address) && /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(signature);
}
