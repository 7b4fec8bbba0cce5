import { concatHex, type Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { rpcCall } from '@/local/json-rpc';
import { type evmNetworkNames, network } from './stack';

/** Runtime code of an ERC-1271 wallet that accepts its owner's signatures of a hash. */
export function ownedBy({ address }: PrivateKeyAccount): Hex {
  return concatHex([
    '0x600435600052', // memory[0] = hash
    '0x60a43560f81c602052', // memory[32] = v, the last byte of the signature
    '0x606435604052', // memory[64] = r
    '0x608435606052', // memory[96] = s
    '0x602060806080600060015afa50', // memory[128] = ecrecover(memory[0..128])
    '0x60805173',
    address,
    '0x14604957', // jump to accept if that is the owner
    '0x60006000fd', // revert
    '0x5b631626ba7e60e01b60005260206000f3', // accept, at 73: return the magic value
  ]);
}

/** Runtime code that loops forever. */
export const endless: Hex = '0x5b600056';

/** Deploys code on a network. @returns its new address */
export async function deployAt(
  on: (typeof evmNetworkNames)[number],
  code: Hex,
  address: Hex = privateKeyToAccount(generatePrivateKey()).address,
): Promise<Hex> {
  await rpcCall(network(on).rpcUrl, 'anvil_setCode', [address, code]);
  return address;
}
