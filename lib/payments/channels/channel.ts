import type { ChannelConfig } from '@x402/evm';
import type { RefundDecision } from './channel-refund-rules';

/** A channel's state in the contract at one block. Amounts are atomic USDC. */
export interface ChannelState {
  /** Deposits less withdrawals and refunds. Claims do not lower it. */
  readonly balanceAtomic: bigint;
  readonly claimedAtomic: bigint;
  /** The amount that the payer has begun to withdraw, which counts as gone; 0 when there is none. */
  readonly withdrawingAtomic: bigint;
  /** Unix time in seconds; 0 when no withdrawal is under way. */
  readonly withdrawalBegunAt: number;
  readonly refundNonce: bigint;
  readonly blockNumber: bigint;
}

/** A channel as the ledger knows it. */
export interface Channel extends ChannelState {
  readonly id: string;
  readonly network: string;
  readonly config: ChannelConfig;
  /** When its state was read; the epoch if a reorganization has since removed its deposit's block. */
  readonly readAt: Date;
  /** The running total spent. Each paid call raises it by its price. */
  readonly chargedAtomic: bigint;
  /** The part of that total that an operator has written off because the contract could not pay it. */
  readonly writtenOffAtomic: bigint;
  /** The signature of the voucher for `chargedAtomic`; null until there is one. */
  readonly signature: string | null;
  /** The last refund that was promised to the payer; null when none was. */
  readonly refund: PromisedRefund | null;
}

/** A refund that cannot be revoked: its signature may be on its way to the contract. */
export interface PromisedRefund {
  readonly atomic: bigint;
  /** The contract's nonce for this refund, which has been made once the channel's `refundNonce` is higher. */
  readonly number: bigint;
  readonly requestedAt: Date;
}

/** The amount promised as a refund that is still in the channel. It cannot be spent. */
export function refundingAtomic({ refund, refundNonce }: Pick<Channel, 'refund' | 'refundNonce'>): bigint {
  return refund && refund.number >= refundNonce ? refund.atomic : 0n;
}

/** The amount spent but neither claimed nor lost. A written-off amount that the contract can pay after all is not lost. */
export function unclaimedAtomic(channel: Channel): bigint {
  const { chargedAtomic, claimedAtomic, writtenOffAtomic } = channel;
  const unclaimable = unclaimableAtomic(channel);
  const isPayable = unclaimable < writtenOffAtomic;
  const lost = isPayable ? unclaimable : writtenOffAtomic;
  return chargedAtomic > claimedAtomic ? chargedAtomic - claimedAtomic - lost : 0n;
}

/** The amount spent that the contract cannot pay because the payer has withdrawn it, or because the deposit is gone. */
export function unclaimableAtomic({ chargedAtomic, claimedAtomic, balanceAtomic }: Channel): bigint {
  const payableAtomic = claimedAtomic > balanceAtomic ? claimedAtomic : balanceAtomic;
  return chargedAtomic > payableAtomic ? chargedAtomic - payableAtomic : 0n;
}

/** A voucher that pays for a claimed call. Its signature has been verified. */
export interface VoucherCharge {
  readonly paidCallId: string;
  readonly channelId: string;
  /** The channel's running total, including this call. */
  readonly maxClaimableAtomic: bigint;
  readonly signature: string;
  /** The channel's state must have been read from the chain at this time or later. */
  readonly readSince: Date;
  /** Whether nothing leaves the process until the answer is on disk, so the charge need not be on disk earlier. */
  readonly isFlushedLater: boolean;
}

/** The outcome of a charge. `unknown`: the call has moved on without being charged, or no such call exists. */
export type VoucherDecision = 'settled' | 'refused' | 'unknown';

/** The channels, and the only way to charge them. The ledger implements it. */
export interface ChannelBook {
  /** @returns null for a channel that was never used with us */
  find(channelId: string): Promise<Channel | null>;
  /** Whether the voucher for this total has been used in a claim, which makes it public. */
  isPublished(channelId: string, totalAtomic: bigint): Promise<boolean>;
  /** Stores a channel's state as read from the chain. State from a block older than the stored one changes nothing. */
  record(channel: Pick<Channel, 'id' | 'network' | 'config'>, state: ChannelState): Promise<Channel>;
  /**
   * Charges a claimed call to its channel, or refuses it for good, in one statement. Safe to repeat: it then returns the
   * earlier decision.
   */
  charge(charge: VoucherCharge): Promise<VoucherDecision>;
  /** Whether a call was charged before a reorganization removed its deposit. Its charge stands. */
  wasCharged(paidCallId: string): Promise<boolean>;
  /** Whether a reorganization has removed a channel's deposit, and it is not yet known whether it will be made again. */
  awaitsDeposit(channelId: string): Promise<boolean>;
}

/** The recipient of channel payments, and their token. Checksummed addresses. */
export interface Payee {
  readonly receiver: string;
  readonly token: string;
}

/** The seller's side of a channel. */
export interface ChannelParties extends Payee {
  readonly receiverAuthorizer: string;
}

interface ContractEvent {
  readonly blockNumber: bigint;
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly name: string;
  readonly amountAtomic: bigint;
  /** What the contract counts as claimed from the channel after a claim; left out of every other event. */
  readonly claimedAtomic?: bigint;
}

interface EventOfChannel extends ContractEvent {
  readonly channelId: string;
}

/** A payout of everything claimed from the channels of one payee. */
interface Payout extends ContractEvent, Payee {
  readonly channelId: null;
}

/** A contract event. All fields are plain values, so the responses of different RPCs can be compared field by field. */
export type ChannelEvent = EventOfChannel | Payout;

/** A voucher that anyone can read once a claim with it has been signed. */
export interface PublicVoucher {
  readonly channelId: string;
  readonly totalAtomic: bigint;
}

/** How far the contract's events have been read. */
export interface WatchedUntil {
  readonly finalBlock: bigint;
  readonly seenBlock: bigint;
}

/** How many of the newest blocks are read again, because a reorganization may have replaced them. */
export const reorganizedMax = 32n;

/**
 * After which block the contract's events are read.
 * @param blockNumber in which the first channel of the network was read: a reorganization may put a claim into an earlier block
 */
export const watchStart = (blockNumber: bigint): bigint =>
  blockNumber > reorganizedMax ? blockNumber - reorganizedMax : 0n;

/** What collecting needs from the ledger. */
export interface CollectionBook extends Pick<ChannelBook, 'record'> {
  /**
   * Channels to claim now: first those that are being emptied, then those with the most to claim.
   * @param which `isClosing`: whether to return everything worth a claim, without waiting for more
   */
  due(network: string, which: { limit: number; isClosing: boolean }): Promise<Channel[]>;
  /**
   * Reserves channels for a claim by this process. Before the claim is sent, records that its vouchers are now public.
   * @returns the ids of the channels that no other process was claiming
   */
  takeClaims(vouchers: readonly PublicVoucher[]): Promise<ReadonlySet<string>>;
  /** Releases channels that were reserved for a claim that was not sent. */
  giveBackClaims(channelIds: readonly string[]): Promise<void>;
  /** Records that a channel cannot be claimed now. */
  noteUnclaimable(channelId: string): Promise<void>;
  /** @returns those of these channels that are ours */
  known(channelIds: readonly string[]): Promise<Channel[]>;
  /** @returns those of these payees that any channel of ours pays, under current or earlier terms */
  knownPayees(network: string, payees: readonly Payee[]): Promise<Payee[]>;
  watchedUntil(network: string): Promise<WatchedUntil | null>;
  /** Records events of final blocks, each once, and how far events have been read. */
  recordEvents(network: string, events: readonly ChannelEvent[], until: WatchedUntil): Promise<void>;
  /** The amount spent through vouchers that is neither claimed nor written off yet, in atomic USDC. */
  unclaimed(network: string): Promise<bigint>;
}

/** A payer's refund request. */
export interface RefundRequest {
  readonly channelId: string;
  /** The total of the voucher sent with it, which matches the channel's total if the payer is up to date. */
  readonly totalAtomic: bigint;
  /** Null for everything that is left. */
  readonly atomic: bigint | null;
  /** Whether calls can be paid through the channel, so that it may be in use. Not so while channels are being closed. */
  readonly isUsable: boolean;
}

/** What refunds need from the ledger. */
export interface RefundBook extends Pick<ChannelBook, 'find' | 'record'> {
  /** Records that a voucher is now public, before the claim with it is sent. */
  publish(voucher: PublicVoucher): Promise<void>;
  /** Decides a refund request. A promised amount can no longer be spent. Safe to repeat. */
  promise(request: RefundRequest): Promise<RefundDecision>;
  /** Channels with these parties that have been idle for a month and hold an amount worth refunding that is not being withdrawn. */
  idle(network: string, parties: ChannelParties, limit: number): Promise<Channel[]>;
  /** Channels with an open refund that was not sent just now: new ones first, and of these, those that have earned it. */
  refunding(network: string, limit: number): Promise<Channel[]>;
  /** Reserves the sending of an open refund for this process. @returns false when it was sent just now, or has been made */
  takeRefund(channelId: string): Promise<boolean>;
}

/** The most that one channel may have unclaimed, and so the most that is lost if it cannot be claimed. Atomic USDC. */
export const unclaimedMaxAtomic = 5_000_000n;

/** Claimed funds stay in the contract until they reach this amount, in atomic USDC, because a sweep costs gas. */
export const sweepFromAtomic = 1_000_000n;

/** x402's reason code for a voucher that is not one price above the channel's total, or not covered by its balance. */
export const cumulativeMismatch = 'invalid_batch_settlement_evm_cumulative_amount_mismatch';
