import { getAddress, type Hex } from 'viem';
import type { Settings } from '@/lib/platform/settings';
import { networkTable } from './network-table';

/** Networks as the ledger and documents name them. Main and test networks never share a name. */
export type NetworkName = EvmNetworkName | SolanaNetworkName;
type EvmNetworkName = 'base' | 'polygon' | 'arbitrum' | 'base-sepolia' | 'polygon-amoy' | 'arbitrum-sepolia';
type SolanaNetworkName = 'solana-mainnet' | 'solana-devnet';

interface NetworkFacts {
  /** The name that people see. */
  readonly label: string;
  /** Whether its USDC has no value. */
  readonly isTest: boolean;
  readonly caip2: `${string}:${string}`;
  /** Circle's USDC, checksummed. */
  readonly usdc: string;
  /** The page of a transaction; `{hash}` stands for its hash or signature. */
  readonly explorer: string;
}

/** An EVM chain with the cost of settling on it. */
export interface EvmNetwork extends NetworkFacts {
  readonly family: 'evm';
  readonly name: EvmNetworkName;
  /** How settings name this network: `BASE_RPC_URL`, and `base=900` in the value of others. */
  readonly setting: 'BASE' | 'POLYGON' | 'ARBITRUM';
  readonly chainId: number;
  /** The EIP-712 domain of Circle's USDC; not the same everywhere. */
  readonly usdcDomain: { readonly name: string; readonly version: string };
  /**
   * Uniswap's interface multicall, which makes several calls in one transaction, each with its own gas limit
   * (docs/decisions/contract-wallets.md). Null where Uniswap has not deployed it.
   */
  readonly interfaceMulticall: Hex | null;
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
  readonly name: SolanaNetworkName;
  readonly setting: 'SOLANA';
}

export type Network = EvmNetwork | SolanaNetwork;

/** Every network that a call may have been paid on, configured or not. */
export const knownNetworks: readonly NetworkName[] = Object.values(networkTable)
  .flat()
  .map(({ name }) => name);

const labels = new Map<string, string>([
  ...Object.values(networkTable)
    .flat()
    .flatMap(({ name, caip2, label }): [string, string][] => [
      [name, label],
      [caip2, label],
    ]),
  ['account', 'Prepaid account'],
]);

/** What people call the network of a call, by its name or CAIP-2 identifier: `Solana` for `solana-mainnet`. */
export function networkLabel(name: string): string {
  return labels.get(name) ?? name;
}

/** A network as this operator configured it. */
export interface Offer<N extends Network = Network> {
  readonly network: N;
  readonly asset: string;
  readonly payTo: string;
  /** Where refunds may come from: `payTo`, and other addresses of ours. */
  readonly treasury: readonly string[];
  readonly rpcUrls: readonly string[];
  /** EVM: the URL of a WebSocket that announces new blocks; null without one. */
  readonly blocksUrl: string | null;
  /** EVM: number of blocks after which a settlement is final. */
  readonly finalityBlocks: number;
  /** Solana: the programs of smart wallets that may pay. */
  readonly walletPrograms: readonly string[];
}

/** The configured networks, in the order of the table. */
export function configuredOffers(env: Settings): Offer[] {
  return networkTable[env.NETWORKS].flatMap((network) => {
    const rpcUrls = env[`${network.setting}_RPC_URL`];
    if (!rpcUrls) return [];
    const asset = env.USDC_ADDRESS.get(network.setting) ?? network.usdc;
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
          network.family === 'evm' ? (env.FINALITY_BLOCKS.get(network.setting) ?? network.finalityBlocks) : 0,
        walletPrograms: network.family === 'solana' ? env.SOLANA_WALLET_PROGRAMS : [],
      },
    ];
  });
}

/** Whether a network, or another settlement location, is a Solana cluster. */
export function isSolanaName(name: string): name is SolanaNetworkName {
  return name.startsWith('solana-');
}

/** The unit in which transaction fees of a network are counted. */
export function feeUnitOf(name: NetworkName): 'lamport' | 'wei' {
  return isSolanaName(name) ? 'lamport' : 'wei';
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
