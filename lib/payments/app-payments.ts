import type { ContractWallets } from './evm/contract-wallets';
import type { NetworkRegistry } from './network-registry';
import type { NetworkWatch } from './network-watch';
import type { Payment } from './payment';
import type { ChallengingRail, PrepaidRail } from './rail';
import type { RefundReader } from './refund-transfer';
import type { NetworkProblem, Settler } from './settlers';
import type { X402Refunds } from './x402/x402-refunds';

/** The fields of a payment that determine its settler. */
type SettledBy = Pick<Payment, 'network' | 'channelId'>;

/** An app's networks, rails and settlers. */
export interface Payments {
  readonly networks: NetworkRegistry;
  readonly watch: NetworkWatch;
  readonly rails: {
    readonly x402: ChallengingRail;
    readonly mpp: ChallengingRail;
    readonly account: PrepaidRail;
  };
  /** Payment channels; null while they are off. */
  readonly channels: {
    /** Checks their contract, and that not too much is unclaimed. Throws when no RPC answers. */
    check(): Promise<readonly NetworkProblem[]>;
    /** Follows the contract, claims what was spent and sends open refunds, in the process that has the key. */
    collect(): Promise<void>;
    /**
     * Answers a payer who asks for a refund of what is left; null where no transactions can be sent. Throws when the chain or
     * the ledger cannot be reached.
     */
    readonly answerRefund: X402Refunds['answer'] | null;
  } | null;
  /** The settler of a payment; null when such payments are no longer accepted. */
  settlerOf(payment: SettledBy): Settler | null;
  /** The same, but also null while such payments are not being accepted. */
  openSettlerOf(payment: SettledBy): Settler | null;
  /** Reads refunds from a network, whether or not payments are accepted there; null when it is not configured. */
  refundReaderAt(network: string): RefundReader | null;
  /** Asks the contract wallets of a network; null unless it is a configured EVM network. */
  contractWalletsAt(network: string): ContractWallets | null;
}
