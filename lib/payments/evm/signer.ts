import secp256k1 from 'secp256k1';
import {
  bytesToHex,
  type Hex,
  hexToBytes,
  keccak256,
  serializeTransaction,
  type TransactionSerializableEIP1559,
} from 'viem';
import { publicKeyToAddress } from 'viem/accounts';

/**
 * A settlement key. Signs in native code, because JavaScript curves would take most of the time of preparing a
 * transaction.
 */
export class EvmSigner {
  readonly address: Hex;
  readonly #key: Uint8Array;

  constructor(privateKey: Hex) {
    this.#key = hexToBytes(privateKey);
    this.address = publicKeyToAddress(bytesToHex(secp256k1.publicKeyCreate(this.#key, false)));
  }

  /** The signed transaction as it is broadcast. Deterministic (RFC 6979), with low s. */
  signTransaction(transaction: TransactionSerializableEIP1559): Hex {
    const digest = hexToBytes(keccak256(serializeTransaction(transaction)));
    const { signature, recid } = secp256k1.ecdsaSign(digest, this.#key);
    const hex = Buffer.from(signature).toString('hex');
    return serializeTransaction(transaction, {
      r: `0x${hex.slice(0, 64)}`,
      s: `0x${hex.slice(64)}`,
      yParity: recid,
    });
  }
}
