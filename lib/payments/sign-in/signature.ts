import { getAddress, type Hex, hashMessage } from 'viem';
import { canonicalSignature, recoverSigner } from '@/lib/payments/evm/authorization';
import type { NetworkName } from '@/lib/payments/networks';
import type { SignedIn, SignInRefusal } from './message';

/** A wallet that has proven that it makes a request. */
export interface SignedInWallet {
  /** Checksummed EVM address or base58 Solana address. */
  readonly address: string;
  /**
   * The network of a contract wallet; null for a wallet with a key. At the same address on another network there may be
   * another contract, with another owner.
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
 * Verifies the signature of a message with the official package. For EVM wallets it hands us the text that was signed:
 * keys are checked here, also those of delegated accounts, and only what no key of the address has signed is put to a
 * contract.
 * @param network of the message's chain
 * @param askContract null for wallets that are no EVM accounts
 * @throws what `askContract` throws
 */
export async function judgeSignature(
  signed: SignedIn,
  network: NetworkName,
  askContract: AskContract | null,
): Promise<Judged> {
  if (!isWellFormed(signed)) return { refusal: 'invalid_siwx_malformed_signature' };
  const asked: { answer?: Promise<boolean> } = {};
  const evmVerifier = async ({ address, message, signature }: EvmProof): Promise<boolean> => {
    const hash = hashMessage(message);
    if (signerOf(hash, signature) === address.toLowerCase()) return true;
    asked.answer = askContract?.(getAddress(address), hash, signature);
    return (await asked.answer) ?? false;
  };
  // Loaded when first needed, because hardly any process ever does. It throws when a field is not what its text can have.
  const { verifySIWxSignature } = await import('@x402/extensions/sign-in-with-x');
  const result = await verifySIWxSignature(signed, { evmVerifier }).catch(() => ({ isValid: false }));
  // The package takes a contract that did not answer for one that refused.
  const isContract = (await asked.answer) !== undefined;
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
