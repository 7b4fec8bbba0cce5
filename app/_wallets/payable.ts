import { arbitrum, arbitrumSepolia, base, baseSepolia, type Chain, polygon, polygonAmoy } from 'viem/chains';
import type { Offer } from '@/lib/payments/network-offers';
import type { WalletChain } from './evm';
import type { PayableNetwork } from './networks';

/** With public RPCs, because those of the operator may have a key in their URL. */
const chains: readonly Chain[] = [base, polygon, arbitrum, baseSepolia, polygonAmoy, arbitrumSepolia];

/** What the server tells a page's script about a network. */
export function payableNetwork({ network }: Offer): PayableNetwork {
  const { name, caip2, family, label, explorer } = network;
  const chain = network.family === 'evm' ? walletChainOf(network.chainId) : null;
  return { name, caip2, family, label, explorer, chain };
}

/** @returns null for a chain that is not in the network table */
function walletChainOf(chainId: number): WalletChain | null {
  const chain = chains.find(({ id }) => id === chainId);
  if (!chain) return null;
  return {
    chainId: `0x${chain.id.toString(16)}`,
    chainName: chain.name,
    nativeCurrency: chain.nativeCurrency,
    rpcUrls: chain.rpcUrls.default.http,
    blockExplorerUrls: chain.blockExplorers ? [chain.blockExplorers.default.url] : [],
  };
}
