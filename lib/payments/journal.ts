import type { NetworkName } from './network-offers';
import type { Block, Charge, Outcome, SettledTransaction } from './outcome';

/** A transaction that we signed, before or after it is broadcast. */
export interface PreparedTransaction {
  readonly network: NetworkName;
  readonly signer: string;
  /** Null on Solana. */
  readonly nonce: bigint | null;
  readonly hash: string;
  readonly raw: Uint8Array<ArrayBuffer>;
  readonly charges: readonly Charge[];
}

/** A transaction that is not known to be in a block, or whose block is not final. */
export interface OpenTransaction extends PreparedTransaction {
  readonly preparedAt: Date;
}

export interface MinedTransaction {
  readonly network: NetworkName;
  readonly hash: string;
  readonly block: Block;
  readonly gasUsed: bigint;
  /** Wei or lamports. */
  readonly feeAtomic: bigint;
  /** Outcomes of the charges that it settled, or whose outcome is certain for another reason. */
  readonly outcomes: readonly { readonly charge: Charge; readonly outcome: Outcome }[];
  /** The part of the fee spent on charges that failed. */
  readonly feeInVainAtomic: bigint;
  /** The gas that each failed charge spent; empty where the cause is not known. */
  readonly inVain: readonly GasInVain[];
  /** The paid calls whose charges the block did not carry out. */
  readonly failedIds: readonly string[];
}

/** Gas that a transaction spent on one charge that failed. */
export interface GasInVain {
  readonly paidCallId: string;
  readonly payer: string;
  readonly gas: bigint;
  /** The payer's code, if it caused the failure. */
  readonly code?: string;
}

/** Gas spent in vain within a period; `oldest` is the time of its first entry. */
export interface SpentInVain {
  readonly gas: bigint;
  readonly oldest: Date | null;
}

/** One payment of a payer that failed in a block. */
export interface GasFailure {
  readonly at: Date;
  readonly gas: bigint;
}

/** The gas that is counted for a payer. */
export interface GasQuery {
  readonly ofPayerSince: Date;
  readonly ofOthersSince: Date;
  /** The payers that paid from the same client network. */
  readonly sameClient: readonly string[];
}

/** The gas that was spent in vain: by a payer, and by others with code that it may belong to. */
export interface GasHistory {
  readonly ofPayer: readonly GasFailure[];
  /** By all payers with the same code. */
  readonly byCode: SpentInVain;
  /** By payers from the same client network, as far as the caller named them. */
  readonly byClient: SpentInVain;
  /** By all payers with code. */
  readonly byAll: SpentInVain;
  /** Whether the payer has ever paid for a call on the network. */
  readonly hasPaid: boolean;
}

/** The signer is not, or no longer, leased to this process: nothing was recorded, and nothing may be sent with it. */
export class LeaseLost extends Error {
  constructor(signer: string) {
    super(`the signer ${signer} is leased to another process`);
  }
}

/** What a process gets with the lease of a signer. */
export interface Lease {
  /** The nonce after the last allocated one; null when none has been allocated. */
  readonly nextNonce: bigint | null;
  /** The signer's transactions that are not known to be in a block, lowest nonce first. */
  readonly open: readonly OpenTransaction[];
}

/** Our transactions and what they carry. Nothing is broadcast before `recordPrepared` has returned. */
export interface Outbox {
  /**
   * Stores the transaction and allocates its nonce.
   * @throws LeaseLost for a nonce without a lease, and an Error when a charge is not in the ledger, or is refused and in no
   *   transaction that is under way: then nothing is stored
   */
  recordPrepared(transaction: PreparedTransaction): Promise<void>;
  recordMined(transaction: MinedTransaction): Promise<void>;
  /** Records that transactions can never be mined: another used their nonce, or their blockhash has expired. */
  recordDropped(network: NetworkName, hashes: readonly string[]): Promise<void>;
  /** Records the outcome of a charge that was not learned from a transaction of ours. */
  recordOutcome(charge: Charge, outcome: Outcome): Promise<void>;
  /**
   * Refuses a charge that no transaction which is under way carries, in one step: a process that was paused for long must not
   * refuse what another has taken over and sent.
   * @returns the refusal, or an unknown outcome when a transaction carries it
   */
  refuseUnlessSent(charge: Charge, reason: string): Promise<Outcome>;
  /** Whether a transaction of ours that is not known to be in a block carries a charge. */
  isUnderWay(charge: Charge): Promise<boolean>;
  /**
   * Whether such a transaction is recent and its key is held by a live process. A transaction that has been out of the chain
   * for long is not waited for.
   */
  isFollowed(charge: Charge): Promise<boolean>;
  /** A signer's transactions with this nonce that are open, or mined but not final. Only those can be what the chain waits for. */
  withNonce(network: NetworkName, signer: string, nonce: bigint): Promise<readonly OpenTransaction[]>;
}

/** Which process sends with which key. At most one process at a time allocates the nonces of a key. */
export interface SignerLeases {
  /**
   * Leases a signer to this process, or renews its lease, unless another live process holds it.
   * @param known hashes of the open transactions that the process already follows, which are left out of the result
   * @returns null when another process holds it
   */
  acquire(network: NetworkName, signer: string, known: readonly string[]): Promise<Lease | null>;
  /** Ends the lease, so that another process can take the signer at once. */
  release(network: NetworkName, signer: string): Promise<void>;
  /** The signers of transactions that are not known to be in a block. Their keys may no longer be held by any process. */
  signersOfOpen(network: NetworkName): Promise<readonly string[]>;
  /** Whether any live process can settle on the network. */
  hasSigner(network: NetworkName): Promise<boolean>;
  /** Whether other processes of the service were alive a moment ago. */
  hasPeers(): boolean;
}

/** The gas that payers have cost us in vain. */
export interface GasRecord {
  /** Records which payer or code made a mined transaction spend gas in vain, when this is found out later. */
  recordBlame(network: NetworkName, hash: string, inVain: GasInVain): Promise<void>;
  /** Gas spent in vain on a network: by a payer, and by others with code. */
  gasInVain(network: NetworkName, payer: string, code: string | null, by: GasQuery): Promise<GasHistory>;
  /** The payers who made us spend gas in vain since a moment. */
  payersOfGasInVain(network: NetworkName, since: Date): Promise<readonly string[]>;
}

/** Charges that wait for a process that has a signer. */
export interface ChargeQueue {
  /** Queues a charge for a process that has a signer. */
  enqueue(charge: Charge): Promise<void>;
  /** Takes the queued charges. No two callers get the same charge. */
  dequeue(network: NetworkName): Promise<readonly Charge[]>;
  /** The outcomes of queued charges, without those that are still being settled. */
  outcomes(paidCallIds: readonly string[]): Promise<ReadonlyMap<string, Outcome>>;
}

/** A settlement in a block that a reorganization may still remove. */
export interface ConfirmedSettlement extends SettledTransaction {
  readonly confirmedAt: Date;
}

/** The settlements in blocks, until no reorganization can remove them. */
export interface FinalityRecord {
  /** The confirmed settlements that a reorganization may still remove, for each of the networks that has any. */
  notFinal(networks: readonly NetworkName[]): Promise<ReadonlyMap<string, readonly ConfirmedSettlement[]>>;
  /** Records that settlements are deep enough to be final. */
  recordFinal(network: NetworkName, hashes: readonly string[], now: Date): Promise<void>;
  /**
   * Records the block of a settlement that was known only by its hash, or that has moved to another block.
   * @param checked as it was when the chain was asked: if its block has changed since, the answer is about another one
   */
  recordBlock(network: NetworkName, checked: SettledTransaction, block: Block): Promise<void>;
  /** Whether a settlement pays for any call that can still fall back to `unknown`. */
  hasPaidCalls(network: NetworkName, hash: string): Promise<boolean>;
  /**
   * Undoes everything that a settlement had settled, because a reorganization has removed it. One of ours is open again.
   * @param checked as it was when the chain was asked: if its block has changed since, its sender has found it again
   * @returns how many calls are `unknown` again
   */
  recordVanished(network: NetworkName, checked: SettledTransaction, now: Date): Promise<number>;
}

/** The record of what settlement is about to do, and of its results, by subject. The ledger implements it. */
export interface SettlementJournal {
  readonly outbox: Outbox;
  readonly leases: SignerLeases;
  readonly gas: GasRecord;
  readonly queue: ChargeQueue;
}
