import type { ContractWallets } from './evm/contract-wallets';
import type { NetworkRegistry } from './network-registry';
import type { NetworkWatch } from './network-watch';
import type { Payment } from './payment';
import type { PaymentFeature } from './payment-feature';
import type { ChallengingRail, PrepaidRail } from './rail';
import type { RefundReader } from './refund-transfer';
import type { Settler } from './settlers';

/** An app's networks, rails and settlers. */
export interface Payments {
  readonly networks: NetworkRegistry;
  readonly watch: NetworkWatch;
  readonly rails: {
    readonly x402: ChallengingRail;
    readonly mpp: ChallengingRail;
    readonly account: PrepaidRail;
  };
  readonly features: readonly PaymentFeature[];
  /** The settler of a payment; null when such payments are no longer accepted. */
  settlerOf(payment: Payment): Settler | null;
  /** The same, but also null while such payments are not being accepted. */
  openSettlerOf(payment: Payment): Settler | null;
  /** Reads refunds from a network, whether or not payments are accepted there; null when it is not configured. */
  refundReaderAt(network: string): RefundReader | null;
  /** Asks the contract wallets of a network; null unless it is a configured EVM network. */
  contractWalletsAt(network: string): ContractWallets | null;
}
