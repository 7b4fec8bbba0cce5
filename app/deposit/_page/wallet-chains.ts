import { arbitrum, arbitrumSepolia, base, baseSepolia, type Chain, polygon, polygonAmoy } from 'viem/chains';
import type { WalletChain } from '@/app/_wallets/evm';

/** With public RPCs: those of the operator may have a key in their URL. */
const chains: readonly Chain[] = [base, polygon, arbitrum, baseSepolia, polygonAmoy, arbitrumSepolia];

/** @returns null for a chain that is not in the network table */
export function walletChainOf(chainId: number): WalletChain | null {
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
