import { concatHex, type Hex, keccak256, pad, slice } from 'viem';

/** The code of a paying account. USDC asks this code, not the key, whether a signature is valid (EIP-1271). */
export interface AccountCode {
  /** The delegate of an EIP-7702 delegation (20 bytes), otherwise the hash of the code (32 bytes). Lower case. */
  readonly id: Hex;
}

/**
 * Creation code that reads the code of the addresses that follow it, 32 bytes each. It returns a zero word, then two
 * words per address: the hash of its code and the first 32 bytes of it. This takes one `eth_call` for a whole group,
 * where `eth_getCode` would need a longer JSON-RPC batch than public nodes accept. The zero word keeps the result from
 * beginning with 0xef, which creation code must not return (EIP-3541).
 */
const readCodes = concatHex([
  '0x60206031', // out = 32; in = 49, the length of this code
  '0x5b', // loop, at 4
  '0x388110600f57', // if in < CODESIZE go to body
  '0x506000f3', // return memory from 0 to out
  '0x5b', // body, at 15
  '0x6020818339', // memory[out] = address at in
  '0x8151803f8352', // memory[out] = EXTCODEHASH of the address
  '0x6020600084602001833c', // memory[out + 32] = first 32 bytes of its code
  '0x50602001', // in += 32
  '0x9060400190', // out += 64
  '0x600456', // go to loop
]);

const noCode = keccak256('0x');
const noAccount = pad('0x', { size: 32 });
/** The code of a delegated account (EIP-7702) is this prefix and the address of the delegate. */
const delegationPrefix = '0xef0100';

/** The data of an `eth_call` without a recipient that reads the code of these addresses. */
export function encodeCodeQuery(addresses: readonly Hex[]): Hex {
  return concatHex([readCodes, ...addresses.map((address) => pad(address, { size: 32 }))]);
}

/** @returns the code of each address; null for an address without code */
export function decodeCodes(data: Hex | undefined, count: number): (AccountCode | null)[] {
  if (!data || data.length !== 2 + 64 * (1 + 2 * count)) {
    throw new Error('the node did not say which payers have code');
  }
  return Array.from({ length: count }, (_, index) => {
    const at = 32 + 64 * index;
    const hash = slice(data, at, at + 32);
    const start = slice(data, at + 32, at + 64);
    if (hash === noCode || hash === noAccount) return null;
    return { id: start.startsWith(delegationPrefix) ? slice(start, 3, 23) : hash };
  });
}
