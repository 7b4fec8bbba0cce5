/** The rows of the tables of payment channels, as in `memory-rows.ts`. */

export interface ChannelRow {
  readonly id: string;
  readonly network: string;
  readonly payer: string;
  readonly receiver: string;
  readonly receiverAuthorizer: string;
  readonly token: string;
  readonly withdrawDelay: number;
  readonly salt: string;
  readonly balanceAtomic: bigint;
  readonly withdrawingAtomic: bigint;
  readonly withdrawalBegunAt: bigint;
  readonly claimedAtomic: bigint;
  readonly refundNonce: bigint;
  readonly readAtBlock: bigint;
  readonly readAt: Date;
  readonly openedAtomic: bigint;
  readonly openedAtBlock: bigint;
  readonly chargedAtomic: bigint;
  readonly writtenOffAtomic: bigint;
  readonly signature: string | null;
  readonly createdAt: Date;
  readonly usedAt: Date | null;
  readonly claimSentAt: Date | null;
  readonly claimFailedAt: Date | null;
  readonly refundAskedAt: Date | null;
  readonly refundAtomic: bigint;
  readonly refundNumber: bigint | null;
  readonly refundSentAt: Date | null;
  readonly refundIsPublic: boolean;
}

export interface ChannelEventRow {
  readonly id: number;
  readonly network: string;
  readonly blockNumber: bigint;
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly name: string;
  readonly channelId: string | null;
  readonly amountAtomic: bigint;
  readonly at: Date;
}

export interface PublishedVoucherRow {
  readonly channelId: string;
  readonly totalAtomic: bigint;
  readonly at: Date;
}

export interface ChannelWatchRow {
  readonly network: string;
  readonly finalBlock: bigint;
  readonly seenBlock: bigint;
  readonly at: Date;
}
