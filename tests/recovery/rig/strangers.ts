import { expect } from '@playwright/test';
import {
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  publicActions,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { evmSignedSchema } from '@/lib/payments/evm/evm-signed';
import { topUpGas } from '@/local/evm/funding';
import type { X402Request } from './requests';
import type { Rig } from './rig';
import { until } from './waiting';

export const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

const tokenAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
]);

/** Whether a real transaction is sent, and not the bytes with which a starting server probes its node. */
export function isTransaction([raw]: readonly unknown[]): boolean {
  return String(raw).length > 10;
}

/** Sends a transaction without the server to the token, from a key with gas, and waits until it is in a block. */
export async function transact(rig: Rig, account: PrivateKeyAccount, data: Hex): Promise<Hex> {
  const rpcUrl = rig.chainUrl('base');
  await topUpGas(rpcUrl, account.address, 10n ** 18n);
  const client = createWalletClient({ account, chain: base, transport: http(rpcUrl) }).extend(publicActions);
  const hash = await client.sendTransaction({ to: usdc, data });
  const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 50 });
  expect(status).toBe('success');
  return hash;
}

/** Waits until the block of a transaction is final. */
export async function untilFinal(rig: Rig, hash: Hex): Promise<void> {
  const client = createPublicClient({ chain: base, transport: http(rig.chainUrl('base')) });
  const { blockNumber } = await client.getTransactionReceipt({ hash });
  await until('the block is final', async () => {
    const finalized = await client.getBlock({ blockTag: 'finalized' });
    return finalized.number >= blockNumber;
  });
}

interface Signed {
  readonly envelope: Pick<X402Request['envelope'], 'payload'>;
}

/** Submits an authorization as a stranger who saw it. */
export function submitAsStranger(rig: Rig, signed: Signed): Promise<Hex> {
  return transact(rig, privateKeyToAccount(generatePrivateKey()), transferOf(signed));
}

/** The token call that executes an authorization. */
function transferOf({ envelope }: Signed): Hex {
  const { authorization, signature } = evmSignedSchema.parse({ family: 'evm', ...envelope.payload });
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return encodeFunctionData({
    abi: tokenAbi,
    functionName: 'transferWithAuthorization',
    args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
  });
}

/** The token call with which a payer cancels the authorization of a request. */
export async function cancellation(wallet: PrivateKeyAccount, { envelope }: X402Request): Promise<Hex> {
  const { authorization } = evmSignedSchema.parse({ family: 'evm', ...envelope.payload });
  return cancellationOf(wallet, authorization.nonce);
}

/** The same, for an authorization given by its nonce (EIP-3009). */
export async function cancellationOf(wallet: PrivateKeyAccount, nonce: Hex): Promise<Hex> {
  const signature = await wallet.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: base.id, verifyingContract: usdc },
    primaryType: 'CancelAuthorization',
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    message: { authorizer: wallet.address, nonce },
  });
  return encodeFunctionData({
    abi: tokenAbi,
    functionName: 'cancelAuthorization',
    args: [wallet.address, nonce, signature],
  });
}
