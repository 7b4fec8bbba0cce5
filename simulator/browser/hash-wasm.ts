/** The content security policy forbids WebAssembly, so that lib/payments/evm/keccak.ts hashes in JavaScript. */
export async function createKeccak(): Promise<never> {
  throw new Error('no WebAssembly in the simulator');
}
