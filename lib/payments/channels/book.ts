import type { ChannelConfig } from '@x402/evm';
import type { RefundDecision } from './refund-rules';

/** What the contract says of a channel, at one block. Atomic USDC. */
export interface ChannelState {
  /** Deposits less withdrawals and refunds. Claims do not lower it. */
  readonly balanceAtomic: bigint;
  readonly claimedAtomic: bigint;
  /** What the payer has begun to withdraw, and counts as gone; 0 when there is nothing. */
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
  /** When its state was read; the epoch if a reorganization took its deposit's block away since. */
  readonly readAt: Date;
  /** The running total of what was spent. Each paid call raises it by its price. */
  readonly chargedAtomic: bigint;
  /** What of it an operator has written off, because the contract could not pay it. */
  readonly writtenOffAtomic: bigint;
  /** The signature of the voucher for this total; null until there is one. */
  readonly signature: string | null;
  /** The last refund that was promised to the payer; null when none was. */
  readonly refund: PromisedRefund | null;
}

/** A refund that nobody can take back: its signature may be on its way to the contract. */
export interface PromisedRefund {
  readonly atomic: bigint;
  /** The contract's number of it: it is made once the channel's `refundNonce` is higher. */
  readonly number: bigint;
  readonly askedAt: Date;
}

/** What is promised back and still in the channel. It cannot be spent. */
export function refundingAtomic({ refund, refundNonce }: Pick<Channel, 'refund' | 'refundNonce'>): bigint {
  return refund && refund.number >= refundNonce ? refund.atomic : 0n;
}

/** What was spent, and is neither claimed nor written off as lost. What the contract can pay after all is not lost. */
export function unclaimedAtomic(channel: Channel): bigint {
  const { chargedAtomic, claimedAtomic, writtenOffAtomic } = channel;
  const unclaimable = unclaimableAtomic(channel);
  const isPayable = unclaimable < writtenOffAtomic;
  const lost = isPayable ? unclaimable : writtenOffAtomic;
  return chargedAtomic > claimedAtomic ? chargedAtomic - claimedAtomic - lost : 0n;
}

/** What was spent, and the contract cannot pay: its payer has withdrawn it, or the deposit is gone. */
export function unclaimableAtomic({ chargedAtomic, claimedAtomic, balanceAtomic }: Channel): bigint {
  const payableAtomic = claimedAtomic > balanceAtomic ? claimedAtomic : balanceAtomic;
  return chargedAtomic > payableAtomic ? chargedAtomic - payableAtomic : 0n;
}

/** A voucher that is to pay for a claimed call. Its signature was verified. */
export interface VoucherCharge {
  readonly paidCallId: string;
  readonly channelId: string;
  /** The running total of the channel, with this call. */
  readonly maxClaimableAtomic: bigint;
  readonly signature: string;
  /** What is known of the channel on the chain must not be older than this. */
  readonly readSince: Date;
  /** Whether nothing leaves the process before the answer is on disk, so that the charge need not be before. */
  readonly isFlushedLater: boolean;
}

/** What became of a charge. `unknown`: the call has moved on without one, or there is no such call. */
export type VoucherDecision = 'settled' | 'refused' | 'unknown';

/** The channels, and the only way to charge them. The ledger implements it. */
export interface ChannelBook {
  /** @returns null for a channel that was never used with us */
  find(channelId: string): Promise<Channel | null>;
  /** Whether the voucher for this total was in a claim, so that anybody can read it. */
  isPublished(channelId: string, totalAtomic: bigint): Promise<boolean>;
  /** Stores what the chain says of a channel. An older block than the one that is known changes nothing. */
  record(channel: Pick<Channel, 'id' | 'network' | 'config'>, state: ChannelState): Promise<Channel>;
  /**
   * Charges a claimed call to its channel, or refuses it for good, in one statement. Safe to repeat: it then returns the
   * earlier decision.
   */
  charge(charge: VoucherCharge): Promise<VoucherDecision>;
  /** Whether a call was charged before a reorganization took its deposit away. Its charge stands. */
  wasCharged(paidCallId: string): Promise<boolean>;
  /** Whether a reorganization took a deposit of a channel away, and it is not known yet whether it is made again. */
  awaitsDeposit(channelId: string): Promise<boolean>;
}

/** Who is paid by channels, and in what. Checksummed addresses. */
export interface Payee {
  readonly receiver: string;
  readonly token: string;
}

/** Whom a channel is with. */
export interface ChannelParties extends Payee {
  readonly receiverAuthorizer: string;
}

interface ContractEvent {
  readonly blockNumber: bigint;
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly name: string;
  readonly amountAtomic: bigint;
}

interface EventOfChannel extends ContractEvent {
  readonly channelId: string;
}

/** What was claimed of all channels with a payee, and is paid out. */
interface Payout extends ContractEvent, Payee {
  readonly channelId: null;
}

/** An event of the contract. All fields are plain values, so that the answers of RPCs are compared by them. */
export type ChannelEvent = EventOfChannel | Payout;

/** A voucher that anybody can read, once a claim with it was signed. */
export interface PublicVoucher {
  readonly channelId: string;
  readonly totalAtomic: bigint;
}

/** How far the events of the contract were read. */
export interface WatchedUntil {
  readonly finalBlock: bigint;
  readonly seenBlock: bigint;
}

/** What collecting needs from the ledger. */
export interface CollectionBook extends Pick<ChannelBook, 'record'> {
  /**
   * Channels that should be claimed now: those that are being emptied first, then those with most to claim.
   * @param which `isClosing`: whether everything that is worth a claim is claimed, without waiting for more
   */
  due(network: string, which: { limit: number; isClosing: boolean }): Promise<Channel[]>;
  /**
   * Takes channels for a claim of this process, and records, before it leaves, that its vouchers are public from now on.
   * @returns the ids of those that nobody else was claiming
   */
  takeClaims(vouchers: readonly PublicVoucher[]): Promise<ReadonlySet<string>>;
  /** Gives channels back that were taken for a claim which was not sent. */
  giveBackClaims(channelIds: readonly string[]): Promise<void>;
  /** Records that the contract does not take the claim of a channel. */
  noteUnclaimable(channelId: string): Promise<void>;
  /** @returns the ones of these channels that are ours */
  known(channelIds: readonly string[]): Promise<Channel[]>;
  /** @returns the ones of these that a channel of ours is with, whatever the terms are now */
  knownPayees(network: string, payees: readonly Payee[]): Promise<Payee[]>;
  watchedUntil(network: string): Promise<WatchedUntil | null>;
  /** Records events of final blocks, each once, and how far they were read. */
  recordEvents(network: string, events: readonly ChannelEvent[], until: WatchedUntil): Promise<void>;
  /** What was spent by vouchers and is neither claimed yet nor written off, in atomic USDC. */
  unclaimed(network: string): Promise<bigint>;
}

/** What a payer asks for. */
export interface RefundRequest {
  readonly channelId: string;
  /** The total of the voucher that came with it: the channel's, if the payer knows where it stands. */
  readonly totalAtomic: bigint;
  /** Null for everything that is left. */
  readonly atomic: bigint | null;
}

/** What refunds need from the ledger. */
export interface RefundBook extends Pick<ChannelBook, 'find' | 'record'> {
  /** Records, before a claim leaves, that its voucher is public from now on. */
  publish(voucher: PublicVoucher): Promise<void>;
  /** Decides about a request, and keeps what is promised from being spent. Safe to repeat. */
  promise(request: RefundRequest): Promise<RefundDecision>;
  /** Channels on our terms that nobody has used for a month, with something worth paying back that is not being withdrawn. */
  idle(network: string, parties: ChannelParties, limit: number): Promise<Channel[]>;
  /** Channels with a refund that is open, and was not sent a moment ago. */
  refunding(network: string, limit: number): Promise<Channel[]>;
  /** Takes the sending of an open refund for this process. @returns false when it was sent a moment ago, or is made */
  takeRefund(channelId: string): Promise<boolean>;
}

/** What one channel may have unclaimed: so much is lost at most if it cannot be claimed. Atomic USDC. */
export const unclaimedMaxAtomic = 5_000_000n;

/** What is claimed and not swept is left with the contract until it is this much, in atomic USDC: a sweep costs gas. */
export const sweepFromAtomic = 1_000_000n;

/** x402's reason code for a voucher that is not one price above the channel's total, or not covered by its balance. */
export const cumulativeMismatch = 'invalid_batch_settlement_evm_cumulative_amount_mismatch';
