import type { ChannelSigned } from '@/lib/payments/channels/channel-signed';
import type { EvmChain } from '@/lib/payments/evm/evm-chain';
import { isUnusedEvm } from '@/lib/payments/evm/resolve-outcome';
import { evmPayment } from '@/lib/payments/evm/settlement-transaction';
import {
  type Charge,
  mayMeanUsed,
  type Outcome,
  type Trace,
  type Verification,
} from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import type { EvmNetworkSettler, SchemeSettler } from '@/lib/payments/settlers';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import {
  type Channel,
  type ChannelBook,
  type ChannelState,
  cumulativeMismatch,
  refundingAtomic,
  unclaimedMaxAtomic,
} from './channel';
import { type ChannelTerms, configOf } from './channel-terms';
import { readChannel } from './read-channel';
import type { VerifiedChannels } from './verified-channels';

/** The most channels in `#readInVain`. */
const readInVainMax = 10_000;

/** x402's reason code for a deposit that would not go through. */
const depositFailed = 'invalid_batch_settlement_evm_deposit_simulation_failed';

const tooOld = 'what a node says of a payment channel is too old';

type ChannelPayment = Payment<ChannelSigned> & { readonly channelId: string };
type ChargedCall = Pick<Trace, 'isBeforeThirdParty'> & { readonly id: string };

/**
 * Charges payment channels. A voucher is only a row in the ledger: nothing leaves the process, so an outcome is unknown only
 * while the database is down. A deposit is settled first, like every payment on its network, and then its voucher is charged.
 */
export class ChannelSettler implements SchemeSettler {
  readonly kind = 'scheme';
  readonly #app: Pick<Platform, 'clock' | 'log' | 'timings'>;
  readonly #terms: ChannelTerms;
  readonly #chain: EvmChain;
  readonly #book: ChannelBook;
  readonly #verified: VerifiedChannels;
  readonly #deposits: EvmNetworkSettler;
  /** Channels whose last read brought no newer state because a node is stalled, and when that was. Keyed by channel id. */
  readonly #readInVain = new Map<string, { readonly knownSince: number; readonly at: number }>();

  /** @param to `deposits` settles on the network of the channels */
  constructor(
    app: Pick<Platform, 'clock' | 'log' | 'timings'>,
    terms: ChannelTerms,
    to: { chain: EvmChain; book: ChannelBook; verified: VerifiedChannels; deposits: EvmNetworkSettler },
  ) {
    this.#app = app;
    this.#terms = terms;
    this.#chain = to.chain;
    this.#book = to.book;
    this.#verified = to.verified;
    this.#deposits = to.deposits;
  }

  /**
   * Rejects early; the charge decides.
   * @param client omitted for a claimed call, whose voucher may already have been charged
   */
  async verify(payment: Payment, client?: string): Promise<Verification> {
    const paying = channelPayment(payment);
    const { deposit } = paying.signed;
    const deposited = deposit
      ? await this.#deposits.verify(payment, client)
      : { ok: true as const, height: 0n };
    if (!deposited.ok) return this.#rejectedDeposit(paying, deposited);
    const isCovered =
      client === undefined || (await this.#covers(paying, BigInt(deposit?.authorization.value ?? 0)));
    return isCovered ? deposited : { ok: false, reason: cumulativeMismatch, height: deposited.height };
  }

  async settle({ paidCallId, payment, isBeforeThirdParty }: Charge): Promise<Outcome> {
    const paying = channelPayment(payment);
    const call = { id: paidCallId, isBeforeThirdParty };
    if (!paying.signed.deposit) return this.#charge(call, paying);
    const deposited = await this.#deposits.settle({ paidCallId, payment });
    return this.#afterDeposit(call, paying, deposited);
  }

  async isFollowed(charge: Charge): Promise<boolean> {
    const { deposit } = channelPayment(charge.payment).signed;
    return deposit !== null && this.#deposits.kind === 'evm' && this.#deposits.isFollowed(charge);
  }

  /** Repeats the charge of a voucher: an interrupted call is charged now, once its deposit is in the channel. */
  async resolveOutcome(payment: Payment, trace: Trace): Promise<Outcome> {
    const paying = channelPayment(payment);
    const { id, isBeforeThirdParty } = trace;
    // Without a call, nothing was bought: the money in the channel is still its payer's.
    if (id === undefined) return { kind: 'unknown', transactionHash: null, isUnused: true };
    const call = { id, isBeforeThirdParty };
    if (!paying.signed.deposit) return this.#charge(call, paying);
    const deposited = await this.#deposits.resolveOutcome(payment, trace);
    return this.#afterDeposit(call, paying, deposited);
  }

  /**
   * Charges the voucher once its deposit is settled. If a reorganization removed a deposit that can never be made again, the
   * charge still stands: the payer's next deposit pays for it.
   */
  async #afterDeposit(call: ChargedCall, payment: ChannelPayment, deposited: Outcome): Promise<Outcome> {
    if (deposited.kind === 'unknown') return deposited;
    const made = deposited.kind === 'settled' ? deposited : null;
    const transactionHash = made?.transactionHash ?? null;
    try {
      if (!made && !(await this.#book.wasCharged(call.id))) return deposited;
      await made?.recorded;
      const { blockNumber, readAt } = await this.#read(payment, true);
      if (made?.block && blockNumber < made.block.number)
        throw new Error('a node does not have the block of a deposit yet');
      // A call that was already charged stays charged, however old the channel's state is.
      if (this.#isTooOld(readAt) && !(await this.#book.wasCharged(call.id))) throw new Error(tooOld);
    } catch (error) {
      // A deposit that is in the channel is not undone. Recovery charges the voucher.
      this.#app.log.warn(
        { network: payment.network, paidCallId: call.id, error: describeError(error) },
        'a deposit is not known to the ledger yet',
      );
      return { kind: 'unknown', transactionHash };
    }
    const charged = await this.#charge(call, payment);
    return charged.kind === 'settled' ? { ...charged, transactionHash } : charged;
  }

  async #charge(
    { id: paidCallId, isBeforeThirdParty }: ChargedCall,
    { signed, channelId }: ChannelPayment,
  ): Promise<Outcome> {
    const charge = {
      paidCallId,
      channelId,
      maxClaimableAtomic: BigInt(signed.maxClaimable),
      signature: signed.signature,
      readSince: this.#readSince(),
      isFlushedLater: isBeforeThirdParty !== true,
    };
    // The statement may have been executed even though it failed. Recovery repeats it.
    const decision = await this.#book.charge(charge).catch(() => 'unknown' as const);
    if (decision === 'settled')
      return { kind: 'settled', transactionHash: null, block: null, isInLedger: true };
    if (decision === 'refused') return { kind: 'refused', reason: cumulativeMismatch };
    return { kind: 'unknown', transactionHash: null };
  }

  /**
   * Whether the voucher is one price above the channel's total, and within its balance including the current deposit.
   * @throws when so much is unclaimed that the channel has to be claimed first, when its state is too old, or when a deposit
   * that a reorganization removed has to be made again first
   */
  async #covers(payment: ChannelPayment, depositAtomic: bigint): Promise<boolean> {
    const known = await this.#book.find(payment.channelId);
    // A deposit changes the channel, so this state would be outdated.
    if (known && !payment.signed.deposit) this.#verified.remember(payment, known);
    const isEnough = known !== null && this.#isKnownWell(known, payment, depositAtomic);
    const channel = isEnough ? known : await this.#read(payment, depositAtomic > 0n);
    if (this.#isTooOld(channel.readAt)) throw new Error(tooOld);
    if (!covers(channel, payment, depositAtomic)) {
      // After a rejection, the client would deposit once more, and both deposits would be made.
      if (await this.#book.awaitsDeposit(payment.channelId))
        throw new Error('a deposit into a payment channel has to be made again first');
      return false;
    }
    if (isTooMuchUnclaimed(channel, payment)) throw new Error('a payment channel has to be claimed first');
    return true;
  }

  /**
   * Whether the channel's stored state is recent enough. A channel that does not cover the voucher is read again, because the
   * payer may have deposited some other way, but only every few seconds, so that no one can make us query the chain
   * constantly.
   */
  #isKnownWell(known: Channel, payment: ChannelPayment, depositAtomic: bigint): boolean {
    const { renewAfterMs, renewDoubtfulAfterMs } = this.#app.timings.channels;
    const inVain = this.#readInVain.get(known.id);
    const knownSince = known.readAt.getTime();
    const lookedAt = inVain?.knownSince === knownSince ? inVain.at : knownSince;
    const isYoung = (maxMs: number) => this.#app.clock.now() - lookedAt < maxMs;
    if (isYoung(renewDoubtfulAfterMs)) return true;
    return isYoung(renewAfterMs) && !this.#isTooOld(known.readAt) && covers(known, payment, depositAtomic);
  }

  /**
   * Reads the channel from the chain. A new channel without a balance is stored only if a deposit is under way, because
   * anyone can sign vouchers for empty channels.
   */
  async #read({ channelId, payer, network, signed }: ChannelPayment, isKept = false): Promise<Known> {
    const state = await readChannel(this.#chain, channelId);
    const readAt = this.#app.clock.date();
    const empty = { ...state, chargedAtomic: state.claimedAtomic, refund: null, readAt };
    if (state.balanceAtomic === 0n && !isKept && (await this.#book.find(channelId)) === null) return empty;
    const channel = await this.#book.record(
      { id: channelId, network, config: configOf(this.#terms, payer, signed.salt) },
      state,
    );
    if (channel.readAt < readAt) this.#rememberInVain(channel, readAt);
    return channel;
  }

  #rememberInVain(channel: Channel, at: Date): void {
    if (this.#readInVain.size >= readInVainMax) this.#readInVain.clear();
    this.#readInVain.set(channel.id, { knownSince: channel.readAt.getTime(), at: at.getTime() });
  }

  #isTooOld(readAt: Date): boolean {
    return readAt < this.#readSince();
  }

  /** Vouchers are not charged against older state: the payer may have withdrawn since. */
  #readSince(): Date {
    return new Date(this.#app.clock.now() - this.#app.timings.channels.refuseAfterMs);
  }

  /** If the deposit is already in the channel, no other is needed: the client is told the channel's state. */
  async #rejectedDeposit(
    payment: ChannelPayment,
    verification: Extract<Verification, { ok: false }>,
  ): Promise<Verification> {
    if (mayMeanUsed(verification.reason) === 'no') return verification;
    const isUnused = await isUnusedEvm(this.#chain, evmPayment(payment));
    if (!isUnused) await this.#read(payment);
    const failed = /simulation_failed/.test(verification.reason) ? depositFailed : verification.reason;
    return { ...verification, reason: isUnused ? failed : cumulativeMismatch };
  }
}

type Known = Pick<Channel, keyof ChannelState | 'chargedAtomic' | 'refund' | 'readAt'>;

function covers(channel: Known, { signed, amountAtomic }: ChannelPayment, depositAtomic: bigint): boolean {
  const { balanceAtomic, withdrawingAtomic, claimedAtomic, chargedAtomic } = channel;
  const total = BigInt(signed.maxClaimable);
  return (
    total === chargedAtomic + amountAtomic &&
    claimedAtomic <= chargedAtomic &&
    total <= balanceAtomic + depositAtomic - withdrawingAtomic - refundingAtomic(channel)
  );
}

function isTooMuchUnclaimed({ claimedAtomic }: Known, { signed }: ChannelPayment): boolean {
  return BigInt(signed.maxClaimable) - claimedAtomic > unclaimedMaxAtomic;
}

/** Throws for a payment that does not go through a channel. */
function channelPayment(payment: Payment): ChannelPayment {
  const { signed, channelId } = payment;
  if (signed.family !== 'channel' || channelId === undefined) throw new Error('not a payment of a channel');
  return { ...payment, channelId, signed };
}
