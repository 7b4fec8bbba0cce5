import { getAddress } from 'viem';
import type { Env } from '@/lib/env';

export type NetworkName = 'base' | 'polygon' | 'arbitrum' | 'solana-mainnet';

interface NetworkFacts {
  readonly name: NetworkName;
  readonly caip2: `${string}:${string}`;
  /** Circle's USDC, checksummed. */
  readonly usdc: string;
}

/** An EVM chain, its EIP-712 facts (SPEC 5.4) and what settling on it costs. */
export interface EvmNetwork extends NetworkFacts {
  readonly family: 'evm';
  /** Start of the names of this network's settings. */
  readonly setting: 'BASE' | 'POLYGON' | 'ARBITRUM';
  readonly chainId: number;
  /**
   * Gas allowed per payment in a settlement transaction. A ceiling, not a cost: Circle's token takes some 60,000 to
   * 90,000; on Arbitrum the limit also covers the posting of calldata to the parent chain.
   */
  readonly gasPerPayment: bigint;
  /** Wei. More than this is never offered per gas: a settlement waits until gas is cheaper. */
  readonly feePerGasMax: bigint;
  /** Blocks above a settlement that make it final, unless the operator says otherwise: about half an hour. */
  readonly finalityBlocks: number;
}

export interface SolanaNetwork extends NetworkFacts {
  readonly family: 'solana';
  readonly setting: 'SOLANA';
}

export type Network = EvmNetwork | SolanaNetwork;

/** The EIP-712 domain of Circle's USDC on the EVM networks below; not the same everywhere (reference: x402 section 7). */
export const usdcDomain = { name: 'USD Coin', version: '2' } as const;

const gwei = 10n ** 9n;

const networks: readonly Network[] = [
  {
    name: 'base',
    family: 'evm',
    caip2: 'eip155:8453',
    chainId: 8453,
    setting: 'BASE',
    usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    gasPerPayment: 150_000n,
    feePerGasMax: 20n * gwei,
    finalityBlocks: 900,
  },
  {
    name: 'polygon',
    family: 'evm',
    caip2: 'eip155:137',
    chainId: 137,
    setting: 'POLYGON',
    usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    gasPerPayment: 150_000n,
    feePerGasMax: 2_000n * gwei,
    finalityBlocks: 900,
  },
  {
    name: 'arbitrum',
    family: 'evm',
    caip2: 'eip155:42161',
    chainId: 42161,
    setting: 'ARBITRUM',
    usdc: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    gasPerPayment: 400_000n,
    feePerGasMax: 20n * gwei,
    finalityBlocks: 7_200,
  },
  {
    name: 'solana-mainnet',
    family: 'solana',
    caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    setting: 'SOLANA',
    usdc: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  },
];

/** Where and how payments on one network are taken: the network as this operator configured it. */
export interface Offer<N extends Network = Network> {
  readonly network: N;
  readonly asset: string;
  readonly payTo: string;
  readonly rpcUrls: readonly string[];
  /** EVM: blocks above a settlement that make it final. */
  readonly finalityBlocks: number;
  /** A remote x402 facilitator that settles here instead of our own sender. */
  readonly facilitatorUrl: string | null;
}

/** The networks that the settings offer, in the order of the table. */
export function configuredOffers(env: Env): Offer[] {
  return networks.flatMap((network) => {
    const rpcUrls = env[`${network.setting}_RPC_URL`];
    if (!rpcUrls) return [];
    const asset = env[`${network.setting}_USDC`] ?? network.usdc;
    const payTo = network.family === 'evm' ? env.PAY_TO_EVM : env.PAY_TO_SOLANA;
    // parseEnv has refused a network without a payee.
    if (!payTo) return [];
    const checksummed = (address: string) => (network.family === 'evm' ? getAddress(address) : address);
    return [
      {
        network,
        asset: checksummed(asset),
        payTo: checksummed(payTo),
        rpcUrls,
        finalityBlocks:
          network.family === 'evm'
            ? (env[`${network.setting}_FINALITY_BLOCKS`] ?? network.finalityBlocks)
            : 0,
        facilitatorUrl: env[`${network.setting}_FACILITATOR_URL`] ?? env.X402_FACILITATOR_URL ?? null,
      },
    ];
  });
}

export function isEvmOffer(offer: Offer): offer is Offer<EvmNetwork> {
  return offer.network.family === 'evm';
}

export function isSolanaOffer(offer: Offer): offer is Offer<SolanaNetwork> {
  return offer.network.family === 'solana';
}
