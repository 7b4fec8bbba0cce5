import { getAddress, type Hex } from 'viem';
import type { Settings } from '@/lib/platform/settings';
import { toAtomic } from './money';

export type NetworkName = 'base' | 'polygon' | 'arbitrum' | 'solana-mainnet';

interface NetworkFacts {
  readonly name: NetworkName;
  readonly caip2: `${string}:${string}`;
  /** Circle's USDC, checksummed. */
  readonly usdc: string;
}

/** An EVM chain with the cost of settling on it. */
export interface EvmNetwork extends NetworkFacts {
  readonly family: 'evm';
  /** Start of the names of this network's settings. */
  readonly setting: 'BASE' | 'POLYGON' | 'ARBITRUM';
  readonly chainId: number;
  /** Uniswap's interface multicall: calls of one transaction with a gas limit each (docs/decisions/accounts-with-code.md). */
  readonly interfaceMulticall: Hex;
  /** The most gas per payment that the chain charges for posting calldata to its parent chain. */
  readonly postingGasPerPayment: bigint;
  /** The gas limit of a transaction: EIP-7825's, or what fits into a block. */
  readonly gasPerTransactionMax: bigint;
  /** The highest fee per gas, in wei. Above it, settlements wait until gas is cheaper. */
  readonly feePerGasMax: bigint;
  /** The default number of blocks after which a settlement is final: about half an hour. */
  readonly finalityBlocks: number;
}

export interface SolanaNetwork extends NetworkFacts {
  readonly family: 'solana';
  readonly setting: 'SOLANA';
}

export type Network = EvmNetwork | SolanaNetwork;

/** The EIP-712 domain of Circle's USDC on the EVM networks below; not the same everywhere. */
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
    interfaceMulticall: '0x091e99cb1C49331a94dD62755D168E941AbD0693',
    postingGasPerPayment: 0n,
    gasPerTransactionMax: 2n ** 24n,
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
    interfaceMulticall: '0x1F98415757620B543A52E61c46B32eB19261F984',
    postingGasPerPayment: 0n,
    gasPerTransactionMax: 2n ** 24n,
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
    interfaceMulticall: '0xadF885960B47eA2CD9B55E6DAc6B42b7Cb2806dB',
    postingGasPerPayment: 270_000n,
    gasPerTransactionMax: 30_000_000n,
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

/** Every network that a call may have been paid on, configured or not. */
export const knownNetworks: readonly NetworkName[] = networks.map(({ name }) => name);

/** A network as this operator configured it. */
export interface Offer<N extends Network = Network> {
  readonly network: N;
  readonly asset: string;
  readonly payTo: string;
  /** Where refunds may come from: `payTo`, and other addresses of ours. */
  readonly treasury: readonly string[];
  readonly rpcUrls: readonly string[];
  /** EVM: a WebSocket that tells new blocks; null without one. */
  readonly blocksUrl: string | null;
  /** EVM: number of blocks after which a settlement is final. */
  readonly finalityBlocks: number;
  /** EVM: atomic USDC that may be answered for on pre-confirmations at once; 0 when every payment waits for its block. */
  readonly preconfirmedMaxAtomic: bigint;
  /** A remote x402 facilitator that settles here instead of our own keys. */
  readonly facilitatorUrl: string | null;
}

/** The configured networks, in the order of the table. */
export function configuredOffers(env: Settings): Offer[] {
  return networks.flatMap((network) => {
    const rpcUrls = env[`${network.setting}_RPC_URL`];
    if (!rpcUrls) return [];
    const asset = env[`${network.setting}_USDC`] ?? network.usdc;
    const payTo = network.family === 'evm' ? env.PAY_TO_EVM : env.PAY_TO_SOLANA;
    // parseSettings rejects a network without a payee.
    if (!payTo) return [];
    const others = (network.family === 'evm' ? env.REFUNDS_FROM_EVM : env.REFUNDS_FROM_SOLANA) ?? [];
    const checksummed = (address: string) => (network.family === 'evm' ? getAddress(address) : address);
    return [
      {
        network,
        asset: checksummed(asset),
        payTo: checksummed(payTo),
        treasury: [...new Set([payTo, ...others].map(checksummed))],
        rpcUrls: rpcUrls.filter((url) => !isSocket(url)),
        blocksUrl: rpcUrls.find(isSocket) ?? null,
        finalityBlocks:
          network.family === 'evm'
            ? (env[`${network.setting}_FINALITY_BLOCKS`] ?? network.finalityBlocks)
            : 0,
        preconfirmedMaxAtomic:
          network.family === 'evm' ? toAtomic(env[`${network.setting}_PRECONFIRMED_USDC_MAX`] ?? '0') : 0n,
        facilitatorUrl: env[`${network.setting}_FACILITATOR_URL`] ?? env.X402_FACILITATOR_URL ?? null,
      },
    ];
  });
}

function isSocket(url: string): boolean {
  return url.startsWith('ws');
}

export function isEvmOffer(offer: Offer): offer is Offer<EvmNetwork> {
  return offer.network.family === 'evm';
}

export function isSolanaOffer(offer: Offer): offer is Offer<SolanaNetwork> {
  return offer.network.family === 'solana';
}
