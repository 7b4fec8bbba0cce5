/** A transfer of the treasury that a chain has. */
export interface Outgoing {
  readonly hash: string;
  /** Where in the transaction: the number of its log, or of the account that received it on Solana. */
  readonly index: number;
  readonly blockNumber: bigint;
  /** Null on Solana. */
  readonly blockHash: string | null;
  readonly to: string;
  readonly value: bigint;
}

/** The wallet of the treasury on one network, whose address is also where buyers pay. */
export interface TreasuryWallet {
  /** Makes a transfer that nobody asked for. @returns its hash */
  transfer(to: string, value: bigint): string;
  /** Whether the chain has a transaction, or may still get it. */
  mayHave(hash: string): boolean;
  /** Whether a transaction is in a final block, where it has failed. */
  hasFailed(hash: string): boolean;
  /** All its transfers that the chain has in the end. */
  outgoing(): Outgoing[];
}
