import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';
import type { LocalNetwork } from './stack';
import type { Wallets } from './wallets';

export type PayingFetch = ReturnType<typeof wrapFetchWithPayment>;

/** The official client, unmodified, with one way to pay: the wallet of that network. */
export async function openPayingClient(
  network: LocalNetwork,
  wallets: Wallets['tourist'],
): Promise<{ payer: string; fetch: PayingFetch }> {
  const client = new x402Client();
  if (!network.caip2.startsWith('solana:')) {
    client.register(network.caip2, new ExactEvmScheme(privateKeyToAccount(wallets.evm.privateKey)));
    return { payer: wallets.evm.address, fetch: wrapFetchWithPayment(fetch, client) };
  }
  const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(wallets.solana.secretKey));
  client.register(network.caip2, new ExactSvmScheme(signer, { rpcUrl: network.rpcUrl }));
  return { payer: wallets.solana.address, fetch: wrapFetchWithPayment(fetch, client) };
}
