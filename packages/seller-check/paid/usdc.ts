import { authorizationTypes } from '@x402/evm';
import { type Hex, parseAbi } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';

/** What the cases use of Circle's token. */
export const usdcAbi = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
]);

/** The event of ERC-20, as the topic of a log. */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** What a payer signs for `transferWithAuthorization` of EIP-3009. */
export interface Authorization {
  readonly from: Hex;
  readonly to: Hex;
  readonly value: bigint;
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: Hex;
}

/** The EIP-712 domain of the token. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Hex;
}

const { TransferWithAuthorization } = authorizationTypes;

/** @param primaryType the type to sign; the fields of both types are the same */
export function signAuthorization(
  signer: PrivateKeyAccount,
  domain: TokenDomain,
  message: Authorization,
  primaryType: 'TransferWithAuthorization' | 'ReceiveWithAuthorization' = 'TransferWithAuthorization',
): Promise<Hex> {
  return signer.signTypedData({
    domain,
    types: { TransferWithAuthorization, ReceiveWithAuthorization: TransferWithAuthorization },
    primaryType,
    message: { ...message },
  });
}

/** The signature with which a payer cancels an authorization that nobody has used. */
export function signCancellation(signer: PrivateKeyAccount, domain: TokenDomain, nonce: Hex): Promise<Hex> {
  return signer.signTypedData({
    domain,
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: signer.address, nonce },
  });
}
