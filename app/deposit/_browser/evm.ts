import type { EIP1193Provider } from 'mipd';
import { randomHex } from '@/app/_wallets/bytes';
import { connect, signTypedData, switchTo, type WalletChain } from '@/app/_wallets/evm';
import { Stopped, walletStopped } from '@/app/_wallets/stopped';
import type { Challenge } from './payment';

/** Fields of an EIP-3009 transfer authorization, in order. */
const types = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};

/** Like the official client: the authorization is valid even for a clock that is ten minutes slow. */
const backdatedSeconds = 600;

/** Lets a wallet sign an x402 payment on EVM networks (scheme exact: an EIP-3009 authorization, signed by EIP-712). */
export async function signWithEvm(
  provider: EIP1193Provider,
  { label, chain }: { readonly label: string; readonly chain: WalletChain | null },
  { accepted, now }: Challenge,
): Promise<object> {
  try {
    const [from] = await connect(provider);
    if (!from) throw new Stopped('The wallet has no account to pay from.');
    const chainId = Number(accepted.network.slice('eip155:'.length));
    await switchTo(provider, chainId, label, chain);
    const authorization = {
      from,
      to: accepted.payTo,
      value: accepted.amount,
      validAfter: String(now - backdatedSeconds),
      validBefore: String(now + accepted.maxTimeoutSeconds),
      nonce: `0x${randomHex(32)}`,
    };
    const domain = {
      name: accepted.extra.name,
      version: accepted.extra.version,
      chainId,
      verifyingContract: accepted.asset,
    };
    const typed = { types, primaryType: 'TransferWithAuthorization', domain, message: authorization };
    return { signature: await signTypedData(provider, from, typed), authorization };
  } catch (error) {
    throw walletStopped(error);
  }
}
