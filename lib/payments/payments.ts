import type { ContractWallets } from './evm/contract-wallets';
import type { NetworkRegistry } from './network-registry';
import type { NetworkProblem, SettlementLocation, Settler } from './payment';
import type { ChallengingRail, PrepaidRail } from './rail';
import type { RefundReader } from './refund-transfer';

/** An app's networks, rails and settlers. */
export interface Payments {
  readonly networks: NetworkRegistry;
  readonly rails: {
    readonly x402: ChallengingRail;
    readonly mpp: ChallengingRail;
    readonly account: PrepaidRail;
  };
  /** Checks the contract of payment channels; nothing is wrong while channels are off. Throws when no RPC answers. */
  checkChannels(): Promise<readonly NetworkProblem[]>;
  /** The settler of a location; null when payments are no longer taken there. */
  settlerAt(location: SettlementLocation): Settler | null;
  /** The same; also null while payments are not taken there. */
  openSettlerAt(location: SettlementLocation): Settler | null;
  /** Reads refunds from a network, whether or not payments are taken there; null when it is not configured. */
  refundReaderAt(network: string): RefundReader | null;
  /** Asks the contract wallets of a network; null when it is no EVM network that is configured. */
  contractWalletsAt(network: string): ContractWallets | null;
}
