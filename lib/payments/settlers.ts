import type { AccountSettler } from './account/account-settler';
import type { EvmSettler } from './evm/evm-settler';
import type { Charge, FinalityStatus, Outcome, SettledTransaction, Trace, Verification } from './outcome';
import type { Payment } from './payment';
import type { SolanaSettler } from './solana/solana-settler';

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

/** Asks contract wallets and smart wallets, where a signature alone may not prove its payer. */
export interface WalletVerification {
  /** Asks a wallet's code whether the signature of a payment is its own, even if the payment was used or has expired. */
  askWallet(payment: Payment, client: string): Promise<WalletAnswer>;
}

/** Reads a network through our own RPCs, also where a remote server settles. */
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

/** Charges payments of a scheme that an optional feature adds. */
export interface SchemeSettler extends Charging, ChargeFollowing {
  readonly kind: 'scheme';
}

/** Leaves charging on an EVM network to a remote server. */
export interface RemoteEvmSettler extends NetworkCharging, WalletVerification {
  readonly kind: 'evm_remote';
}

/** Leaves charging on Solana to a remote server. */
export interface RemoteSolanaSettler extends NetworkCharging {
  readonly kind: 'solana_remote';
  /** The account that pays the fee, which the server may change; null before the first check. */
  readonly feePayer: string | null;
}

/** The settlers of EVM networks: our own keys, or a remote server. */
export type EvmNetworkSettler = EvmSettler | RemoteEvmSettler;

/** The settlers of Solana: our own key, or a remote server. The account that pays the fee is part of their challenges. */
export type SolanaNetworkSettler = SolanaSettler | RemoteSolanaSettler;

/** What charges a payment, told apart by `kind`. All but remote ones record a charge in the ledger, before and after. */
export type Settler = EvmNetworkSettler | SolanaNetworkSettler | SchemeSettler | AccountSettler;

/** The work that the ledger has for a network's senders. */
export interface SettlementWork {
  /** Whether charges are queued for a process that has a signer. */
  readonly hasQueued: boolean;
  /** Whether there are recorded transactions that are not known to be in a block. */
  readonly hasOpen: boolean;
  /** Whether one of them is so old that its process has probably died. */
  readonly hasLeftBehind: boolean;
  /** The signers that are leased to this process. */
  readonly leased: readonly string[];
}

export const noSettlementWork: SettlementWork = {
  hasQueued: false,
  hasOpen: false,
  hasLeftBehind: false,
  leased: [],
};

/** Why a network is not offered, for the operator. */
export interface NetworkProblem {
  readonly message: string;
  /** What to do about it. */
  readonly advice: string;
  /** Whether the token stops the payments: no RPC and no setting here is wrong. */
  readonly isOfToken?: true;
}

/** What the operator's own addresses hold on a network. */
export interface OwnBalances {
  /** By settlement key: wei or lamports. Empty where others settle. */
  readonly gas: readonly { readonly signer: string; readonly atomic: bigint }[];
  /** Atomic USDC of the address that receives the payments. */
  readonly treasuryAtomic: bigint;
}

/** What a process still has to settle on a network. */
export interface SettlementLoad {
  /** Payments that wait for the next transaction. */
  readonly waiting: number;
  /** Transactions that are not in a block yet. */
  readonly pending: number;
}

/**
 * What a wallet's code says about a signature. `no_wallet`: the payer has no code, and the signature looks like a key's but
 * is not by the payer's own key.
 */
export type WalletAnswer = 'signed' | 'not_signed' | 'no_wallet';

/** A call of a contract in a transaction of the operator's own. */
export interface ContractCall {
  readonly to: `0x${string}`;
  readonly data: `0x${string}`;
  readonly gas: bigint;
}

/** Sends transactions of the operator's own on one network. Like charges, they are recorded before they are sent. */
export interface Submitter {
  /** Whether this process has the key. Leases it if nobody does. */
  canSubmit(): Promise<boolean>;
  /** @returns false when another process has the key: nothing was sent */
  submit(call: ContractCall): Promise<boolean>;
}
