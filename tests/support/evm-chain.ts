import { createPublicClient, createWalletClient, type Hex, http, parseAbi, parseSignature } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { topUpGas } from '@/local/evm/funding';
import { type Authorization, domainOf } from './lies';
import { network, type TestNetwork } from './stack';

export const tokenAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);

export function chainClient(on: TestNetwork['name']) {
  return createPublicClient({ transport: http(network(on).rpcUrl), pollingInterval: 50 });
}

/** Sends a call to the token from an account with gas, and waits until it has succeeded. */
async function callToken(
  on: TestNetwork['name'],
  sender: PrivateKeyAccount,
  call: Pick<Parameters<ReturnType<typeof createWalletClient>['writeContract']>[0], 'functionName' | 'args'>,
): Promise<Hex> {
  const { rpcUrl, usdc } = network(on);
  await topUpGas(rpcUrl, sender.address, 10n ** 18n);
  const wallet = createWalletClient({ account: sender, transport: http(rpcUrl) });
  const hash = await wallet.writeContract({
    address: usdc as Hex,
    abi: tokenAbi,
    chain: null,
    ...call,
  } as Parameters<typeof wallet.writeContract>[0]);
  const { status } = await chainClient(on).waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new Error('the token refused the call');
  return hash;
}

/** Submits a signed authorization without going through the service, as anyone who has seen it can. */
export function submitAuthorization(
  on: TestNetwork['name'],
  { from, to, value, validAfter, validBefore, nonce }: Authorization,
  signature: Hex,
): Promise<Hex> {
  return callToken(on, privateKeyToAccount(generatePrivateKey()), {
    functionName: 'transferWithAuthorization',
    args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
  });
}

/** Cancels an authorization on the chain, as a payer can at any time. */
export async function cancelAuthorization(
  on: TestNetwork['name'],
  payer: PrivateKeyAccount,
  nonce: Hex,
): Promise<void> {
  const signature = await payer.signTypedData({
    domain: domainOf(on),
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.address, nonce },
  });
  const { r, s, yParity } = parseSignature(signature);
  await callToken(on, privateKeyToAccount(generatePrivateKey()), {
    functionName: 'cancelAuthorization',
    args: [payer.address, nonce, yParity + 27, r, s],
  });
}

/** Sends tokens away with an ordinary transfer. */
export async function sendAway(
  on: TestNetwork['name'],
  payer: PrivateKeyAccount,
  value: bigint,
): Promise<void> {
  const to = privateKeyToAccount(generatePrivateKey()).address;
  await callToken(on, payer, { functionName: 'transfer', args: [to, value] });
}
