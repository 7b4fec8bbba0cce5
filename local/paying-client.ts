import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { Mppx } from 'mppx/client';
import { charge } from 'mppx/evm/client';
import { privateKeyToAccount } from 'viem/accounts';
import type { LocalNetwork } from './stack';
import type { Wallets } from './wallets';

/** A wallet that pays for what it fetches. */
export type PayingClient = { payer: string; fetch: (url: string, init: RequestInit) => Promise<Response> };

export const isEvm = ({ caip2 }: LocalNetwork): boolean => caip2.startsWith('eip155:');

/** The official x402 client, unmodified, with one way to pay: the wallet of that network. */
export async function openX402Client(
  network: LocalNetwork,
  wallets: Wallets['tourist'],
): Promise<PayingClient> {
  const client = new x402Client();
  if (isEvm(network)) {
    client.register(network.caip2, new ExactEvmScheme(privateKeyToAccount(wallets.evm.privateKey)));
    return { payer: wallets.evm.address, fetch: wrapFetchWithPayment(fetch, client) };
  }
  const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(wallets.solana.secretKey));
  client.register(network.caip2, new ExactSvmScheme(signer, { rpcUrl: network.rpcUrl }));
  return { payer: wallets.solana.address, fetch: wrapFetchWithPayment(fetch, client) };
}

/** The official MPP client, unmodified, for one EVM network. */
export async function openMppClient(
  network: LocalNetwork,
  wallets: Wallets['tourist'],
): Promise<PayingClient> {
  const method = charge({
    account: privateKeyToAccount(wallets.evm.privateKey),
    authorization: { name: 'USD Coin', version: '2' },
    // The configuration of a local network has its addresses checked and typed as plain strings.
    currencies: [network.usdc as `0x${string}`],
    decimals: 6,
    maxAmount: '1',
    networks: [Number(network.caip2.split(':')[1])],
  });
  const client = Mppx.create({ polyfill: false, methods: [method] });
  return { payer: wallets.evm.address, fetch: (url, init) => client.fetch(url, init) };
}
