import { createKeccak, type IHasher } from 'hash-wasm';
import { keccak256 as keccak256InJavaScript } from 'viem';

let compiled: IHasher | null = null;
// Compiling takes a moment. Until then, or without WebAssembly, JavaScript computes the same hash ten times slower.
createKeccak(256).then(
  (hasher) => {
    compiled = hasher;
  },
  () => undefined,
);

/** Keccak-256. Every payment hashes about ten blocks. */
export function keccak256(bytes: Uint8Array): Buffer {
  if (!compiled) return Buffer.from(keccak256InJavaScript(bytes, 'bytes'));
  return Buffer.from(compiled.init().update(bytes).digest('binary'));
}
