import type { AccountSettler } from './account/settler';
import type { ChannelSettler } from './channels/settler';
import type { EvmSettler } from './evm/settler';
import type { EvmFacilitatorSettler } from './facilitator/evm-facilitator-settler';
import type { SolanaFacilitatorSettler } from './facilitator/solana-facilitator-settler';
import type {
  Charge,
  FinalityStatus,
  NetworkProblem,
  Outcome,
  OwnBalances,
  Payment,
  SettledTransaction,
  SettlementLoad,
  SettlementWork,
  Trace,
  Verification,
  WalletAnswer,
} from './payment';
import type { SolanaSettler } from './solana/settler';

/** Charges payments, and learns their outcomes. */
export interface Charging {
  /**
   * Asks the chain whether the payment would go through now. Moves no money.
   * @param client the client that asks, so that clients take turns where verifying takes work; omitted for claimed calls
   */
  verify(payment: Payment, client?: string): Promise<Verification>;
  /** Charges. Never throws once a transaction may have left the process. */
  settle(charge: Charge): Promise<Outcome>;
  /** Determines a payment's outcome from the chain, no matter who submitted the payment. */
  resolveOutcome(payment: Payment, trace: Trace): Promise<Outcome>;
}

/** Knows which transactions carry a charge, where two submissions of a payment make two transactions. */
export interface ChargeFollowing {
  /** Whether a transaction that a live process follows carries the charge, so that a second one would only cost gas. */
  isFollowed(charge: Charge): Promise<boolean>;
}

/** Asks contract wallets, where a signature alone may not prove its payer. */
export interface WalletAsking {
  /** Asks a contract wallet whether the signature of a payment is its own, even if the payment was used or has expired. */
  askWallet(payment: Payment, client: string): Promise<WalletAnswer>;
}

/** Reads a network through our own RPCs, whoever settles on it. */
export interface NetworkReading {
  /** Checks whether settled transactions are still in the chain. Those that cannot be checked now are left out. */
  checkFinality(transactions: readonly SettledTransaction[]): Promise<ReadonlyMap<string, FinalityStatus>>;
  /** @returns the problems that prevent offering this network; empty when there are none */
  check(): Promise<readonly NetworkProblem[]>;
  /** Asks the chain what would stop every payment at this moment, however valid. It is a part of `check`. */
  commonProblems(): Promise<readonly NetworkProblem[]>;
  /** Reads what our own addresses hold. */
  balances(): Promise<OwnBalances>;
  /** Reads what an address holds, in atomic USDC. */
  usdcOf(owner: string): Promise<bigint>;
}

/** Charges the payments of one network. */
export interface NetworkCharging extends Charging, NetworkReading {
  /** Excludes charges that other processes settle for this one. */
  readonly load: SettlementLoad;
}

/** Follows transactions of our own. */
export interface Maintained {
  /** Runs at every heartbeat: settles queued charges and follows abandoned transactions. */
  maintain(work: SettlementWork): Promise<void>;
}

/** The settlers of EVM networks: our own keys, or a facilitator. */
export type EvmNetworkSettler = EvmSettler | EvmFacilitatorSettler;

/** The settlers of Solana: our own key, or a facilitator. The account that pays the fee is part of their challenges. */
export type SolanaNetworkSettler = SolanaSettler | SolanaFacilitatorSettler;

/** What charges a payment, told apart by `kind`. All but facilitators record a charge in the ledger, before and after. */
export type Settler = EvmNetworkSettler | SolanaNetworkSettler | ChannelSettler | AccountSettler;
