import { type Hex, parseAbi } from 'viem';
import type { privateKeyToAccount } from 'viem/accounts';
import type { EvmChain } from '@/local/evm/chain';

export const usdcAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

const authorizationFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const;

export type Authorization = {
  from: Hex;
  to: Hex;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
};

/** The payer's EIP-712 signature over an authorization. */
export function sign(
  chain: EvmChain,
  account: ReturnType<typeof privateKeyToAccount>,
  message: Authorization,
) {
  return account.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: chain.chainId, verifyingContract: chain.usdc as Hex },
    types: { TransferWithAuthorization: authorizationFields },
    primaryType: 'TransferWithAuthorization',
    message,
  });
}

export function argumentsOf(message: Authorization) {
  const { from, to, value, validAfter, validBefore, nonce } = message;
  return [from, to, value, validAfter, validBefore, nonce] as const;
}
