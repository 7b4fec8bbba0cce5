import type { SettlementJournal } from '@/lib/payments/journal';
import type { Network, NetworkName, Offer } from '@/lib/payments/network-offers';
import type { AvailableOffer } from '@/lib/payments/network-registry';
import { networkTable } from '@/lib/payments/network-table';
import type { SolanaPayments } from '@/lib/payments/x402/x402-rail';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { PaywallNetwork } from './types';

/** A network as this package makes it. */
export interface OpenableNetwork extends PaywallNetwork {
  readonly name: NetworkName;
  /** Reads payments on Solana; null for another network. Only the entry for Solana imports it. */
  readonly solana: SolanaPayments | null;
  open(app: ChainPlatform, journal: SettlementJournal): AvailableOffer;
}

export function isOpenable(network: PaywallNetwork): network is OpenableNetwork {
  return 'open' in network;
}

/** What an adapter says of the network that it takes payments on. */
interface Terms {
  readonly payTo: string;
  readonly rpcUrls: readonly string[];
  readonly usdc?: string | undefined;
}

/** An offer without a treasury, sockets and smart wallets, which a paywall does not have. */
export function offerOf<N extends Network>(network: N, { payTo, rpcUrls, usdc }: Terms): Offer<N> {
  return {
    network,
    asset: usdc ?? network.usdc,
    payTo,
    treasury: [payTo],
    rpcUrls,
    blocksUrl: null,
    finalityBlocks: network.family === 'evm' ? network.finalityBlocks : 0,
    walletPrograms: [],
  };
}

/** @throws Error when there is no network with this name and family */
export function networkOf<Family extends Network['family']>(
  family: Family,
  name: NetworkName,
): Extract<Network, { readonly family: Family }> {
  const isWanted = (one: Network): one is Extract<Network, { readonly family: Family }> =>
    one.name === name && one.family === family;
  const found = Object.values(networkTable).flat().find(isWanted);
  if (!found) throw new Error(`there is no network ${name}`);
  return found;
}
