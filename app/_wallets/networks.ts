import type { WalletChain } from './evm';

/** A network that a page can be paid on, as the server tells it to the page's script. */
export interface PayableNetwork {
  readonly name: string;
  /** The name that people see. */
  readonly label: string;
  readonly caip2: string;
  readonly family: 'evm' | 'solana';
  /** The page of a transaction; `{hash}` stands for its hash. */
  readonly explorer: string;
  /** For EVM wallets that do not have the network yet. */
  readonly chain: WalletChain | null;
}

/** The page of a transaction on a block explorer. @param label the network's name that people see */
export function explorerLink(
  networks: readonly PayableNetwork[],
  label: string,
  hash: string,
): string | null {
  return networks.find((network) => network.label === label)?.explorer.replace('{hash}', hash) ?? null;
}
