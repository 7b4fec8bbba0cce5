import { createECDH, createPrivateKey, createPublicKey } from 'node:crypto';
import { bytesToHex, getAddress, keccak256 } from 'viem';

/** The bytes that precede the 32 secret bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The checksummed address of an EVM private key; null if no key has these digits.
 * @param privateKey 0x and 64 hex characters
 */
export function evmAddressOf(privateKey: string): string | null {
  const curve = createECDH('secp256k1');
  try {
    curve.setPrivateKey(privateKey.slice(2), 'hex');
  } catch {
    return null;
  }
  // The first byte says that the point is uncompressed.
  return getAddress(bytesToHex(keccak256(curve.getPublicKey().subarray(1), 'bytes').subarray(-20)));
}

/** Whether an address has no checksum, because all its letters are of one case, or the right one (EIP-55). */
export function hasValidChecksum(address: string): boolean {
  const digits = address.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  return getAddress(`0x${digits.toLowerCase()}`) === address;
}

/**
 * The public half of a Solana key; null unless the key is base58 of 64 bytes whose halves belong together.
 * @param secretKey the secret half and the public half, base58
 */
export function solanaPublicKeyOf(secretKey: string): Buffer | null {
  const bytes = decodeBase58(secretKey);
  if (bytes?.length !== 64) return null;
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, bytes.subarray(0, 32)]),
    format: 'der',
    type: 'pkcs8',
  });
  const derived = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  return derived.equals(bytes.subarray(32)) ? derived : null;
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Base58 as Bitcoin and Solana write it: each leading 1 is a zero byte. Null if a character is not in the alphabet. */
export function decodeBase58(text: string): Buffer | null {
  const digits = [...text].map((character) => alphabet.indexOf(character));
  if (digits.includes(-1)) return null;
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const number = digits.reduce((sum, digit) => sum * 58n + BigInt(digit), 0n);
  const hex = number === 0n ? '' : number.toString(16);
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')]);
}
