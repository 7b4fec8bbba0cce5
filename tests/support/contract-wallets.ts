import type { Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { rpcCall } from '@/local/json-rpc';
import { ownedBy as codeOwnedBy } from '@/packages/seller-check/paid/contract-wallets';
import { type evmNetworkNames, network } from './stack';

export { endless } from '@/packages/seller-check/paid/contract-wallets';

/** Runtime code of an ERC-1271 wallet that takes its owner's signatures of a hash. */
export const ownedBy = ({ address }: PrivateKeyAccount): Hex => codeOwnedBy(address);

/** Deploys code on a network. @returns its new address */
export async function deployAt(
  on: (typeof evmNetworkNames)[number],
  code: Hex,
  address: Hex = privateKeyToAccount(generatePrivateKey()).address,
): Promise<Hex> {
  await rpcCall(network(on).rpcUrl, 'anvil_setCode', [address, code]);
  return address;
}
