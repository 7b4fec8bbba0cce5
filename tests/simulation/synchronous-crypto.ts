import { createHash, KeyObject, verify } from 'node:crypto';

type Bytes = ArrayBuffer | ArrayBufferView;

/**
 * Lets WebCrypto verify Ed25519 signatures and compute SHA-256 at once, with the same results. It uses threads, so that virtual
 * time would pass meanwhile, or not, as the machine is busy. The exact scheme on Solana verifies payments with it.
 * @returns a function that undoes this
 */
export function makeCryptoSynchronous(): () => void {
  const { subtle } = globalThis.crypto;
  const original = { verify: subtle.verify.bind(subtle), digest: subtle.digest.bind(subtle) };
  Object.assign(subtle, {
    verify: async (...args: Parameters<SubtleCrypto['verify']>) => {
      const [algorithm, key, signature, data] = args;
      if (nameOf(algorithm) !== 'Ed25519') return original.verify(...args);
      return verify(null, bytesOf(data), KeyObject.from(key), bytesOf(signature));
    },
    digest: async (...args: Parameters<SubtleCrypto['digest']>) => {
      const [algorithm, data] = args;
      if (nameOf(algorithm) !== 'SHA-256') return original.digest(...args);
      return Uint8Array.from(createHash('sha256').update(bytesOf(data)).digest()).buffer;
    },
  });
  return () => {
    for (const method of Object.keys(original)) Reflect.deleteProperty(subtle, method);
  };
}

function nameOf(algorithm: AlgorithmIdentifier): string {
  return typeof algorithm === 'string' ? algorithm : algorithm.name;
}

function bytesOf(data: Bytes): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
