import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import { getAbiItem, type Hex } from 'viem';
import type { EvmChain } from '@/lib/payments/evm/evm-chain';
import type { Submitter } from '@/lib/payments/settlers';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { batchSettlementAbi } from './batch-settlement-abi';
import type { Channel, PromisedRefund, RefundBook, RefundRequest } from './channel';
import { logRangeBlocks } from './channel-events';
import { mayBeUnearned, type RefundDecision } from './channel-refund-rules';
import type { ChannelTerms } from './channel-terms';
import { type ContractCalls, claimRow } from './contract-calls';
import { readChannel } from './read-channel';

/** The most refunds that are promised, and the most that are sent, in one round. */
const roundMax = 20;

/** How often the event of a refund is looked for once it is made. Nodes may have the state of a block before its logs. */
const eventLooks = 10;

/** What is reported to a payer. `open`: promised, but not made yet. */
export type RefundOutcome =
  | Exclude<RefundDecision, { kind: 'promised' }>
  | { readonly kind: 'open' }
  | {
      readonly kind: 'made';
      /** The amount paid, which is less than promised if the payer withdrew in the meantime. */
      readonly atomic: bigint;
      readonly channel: Channel;
      /** Null when it was not found in recent blocks. */
      readonly transactionHash: string | null;
    };

/**
 * Refunds what is left in channels, when their payers ask for it or have not used them for a month. The ledger promises a
 * refund first, so that the amount can no longer be spent. The contract numbers refunds, so each is made once, no matter who
 * sends it or how often.
 */
export class ChannelRefunds {
  readonly #app: Pick<Platform, 'clock' | 'log' | 'timings'>;
  readonly #terms: ChannelTerms;
  readonly #chain: EvmChain;
  readonly #book: RefundBook;
  readonly #submitter: Submitter;
  readonly #calls: ContractCalls;
  /** Requests that wait for their block. A repeated request causes no further queries to the chain. */
  readonly #inProgress = new Map<string, Promise<RefundOutcome>>();

  constructor(
    app: Pick<Platform, 'clock' | 'log' | 'timings'>,
    terms: ChannelTerms,
    to: { chain: EvmChain; book: RefundBook; submitter: Submitter; calls: ContractCalls },
  ) {
    this.#app = app;
    this.#terms = terms;
    this.#chain = to.chain;
    this.#book = to.book;
    this.#submitter = to.submitter;
    this.#calls = to.calls;
  }

  get #network(): string {
    return this.#terms.offer.network.name;
  }

  /**
   * Promises a refund, sends it if this process has the key, and waits a while for its block.
   * @param config the terms of the channel, in case it was never used with us
   * @param countUnearned called before a refund that the channel has not earned may be promised; rejects when there were too many
   * @throws what `countUnearned` does, and when the chain or the ledger cannot be reached
   */
  ask(
    refund: Omit<RefundRequest, 'isUsable'>,
    config: Channel['config'],
    countUnearned: () => Promise<void>,
  ): Promise<RefundOutcome> {
    const key = [refund.channelId, refund.totalAtomic, refund.atomic].join(' ');
    const request = { ...refund, isUsable: !this.#terms.isClosing };
    const outcome =
      this.#inProgress.get(key) ??
      this.#ask(request, config, countUnearned).finally(() => this.#inProgress.delete(key));
    this.#inProgress.set(key, outcome);
    return outcome;
  }

  async #ask(
    request: RefundRequest,
    config: Channel['config'],
    countUnearned: () => Promise<void>,
  ): Promise<RefundOutcome> {
    const { channelId } = request;
    const state = await readChannel(this.#chain, channelId);
    // Anyone can sign for an empty channel, so it is not stored.
    if (state.balanceAtomic === 0n && (await this.#book.find(channelId)) === null)
      return { kind: 'refused', reason: 'invalid_batch_settlement_evm_channel_not_found' };
    const channel = await this.#book.record({ id: channelId, network: this.#network, config }, state);
    if (mayBeUnearned(channel, request, this.#app.clock.date())) await countUnearned();
    const decision = await this.#book.promise(request);
    if (decision.kind !== 'promised') return decision;
    await this.#send(channelId);
    return this.#wait(channelId, decision.refund);
  }

  /** Promises refunds of idle channels, and sends open refunds, if this process has the key. */
  async work(): Promise<void> {
    if (!(await this.#submitter.canSubmit())) return;
    const { offer, receiverAuthorizer } = this.#terms;
    const parties = { receiver: offer.payTo, receiverAuthorizer, token: offer.asset };
    for (const channel of await this.#book.idle(this.#network, parties, roundMax))
      await this.#promiseIdle(channel);
    for (const { id } of await this.#book.refunding(this.#network, roundMax)) await this.#send(id);
  }

  /**
   * Promises everything that is left, unless the payer is already withdrawing. If the channel is used in the meantime, its
   * total no longer matches, and the refund is refused.
   */
  async #promiseIdle(known: Channel): Promise<void> {
    const channel = await this.#book.record(known, await readChannel(this.#chain, known.id));
    if (channel.withdrawingAtomic > 0n) return;
    const { id: channelId, chargedAtomic: totalAtomic } = channel;
    await this.#book.promise({ channelId, totalAtomic, atomic: null, isUsable: !this.#terms.isClosing });
  }

  /** Claims what was spent through the channel in the same transaction. Never throws: an open refund is sent again. */
  async #send(channelId: string): Promise<void> {
    try {
      if (!(await this.#submitter.canSubmit())) return;
      const known = await this.#book.find(channelId);
      if (!known || !(await this.#book.takeRefund(channelId))) return;
      const channel = await this.#book.record(known, await readChannel(this.#chain, channelId));
      if (channel.refund && channel.refund.number >= channel.refundNonce)
        await this.#submit(channel, channel.refund);
    } catch (error) {
      this.#app.log.error(
        { network: this.#network, channel: channelId, error: describeError(error) },
        'a refund of a payment channel was not sent',
      );
    }
  }

  async #submit(channel: Channel, refund: PromisedRefund): Promise<void> {
    const row = claimRow(channel);
    const back = await this.#calls.refund(channel, refund);
    const call = row ? await this.#calls.claim([row], [back]) : await this.#calls.together([back]);
    if (row) await this.#book.publish({ channelId: channel.id, totalAtomic: channel.chargedAtomic });
    const isSent = await this.#submitter.submit(call);
    this.#app.log.info(
      { network: this.#network, channel: channel.id, atomic: refund.atomic, isSent },
      'a payment channel is refunded',
    );
  }

  async #wait(channelId: string, refund: PromisedRefund): Promise<RefundOutcome> {
    const { refundWaitMs, refundPollMs } = this.#app.timings.channels;
    const channel = await this.#poll(refundWaitMs, () => this.#made(channelId, refund));
    if (!channel) return { kind: 'open' };
    const event = await this.#poll(eventLooks * refundPollMs, () => this.#eventOf(channel));
    const { atomic = refund.atomic, transactionHash = null } = event ?? {};
    return { kind: 'made', atomic, channel, transactionHash };
  }

  /** @returns what is found within the time; null if nothing is, or the chain or the ledger cannot be reached */
  async #poll<T>(waitMs: number, find: () => Promise<T | null>): Promise<T | null> {
    const { clock, timings } = this.#app;
    const until = clock.monotonic() + waitMs;
    for (;;) {
      const found = await find().catch(() => null);
      if (found || clock.monotonic() >= until) return found;
      await clock.sleep(timings.channels.refundPollMs);
    }
  }

  /** @returns the channel once the contract has counted the refund; null before */
  async #made(channelId: string, { number }: PromisedRefund): Promise<Channel | null> {
    const known = await this.#book.find(channelId);
    if (!known) return null;
    const state = await readChannel(this.#chain, channelId);
    return state.refundNonce > number ? this.#book.record(known, state) : null;
  }

  /** The last refund of a channel, by the contract's events. */
  async #eventOf({ id, blockNumber }: Channel): Promise<{ atomic?: bigint; transactionHash: string } | null> {
    const logs = await this.#chain.client.getLogs({
      address: BATCH_SETTLEMENT_ADDRESS,
      event: getAbiItem({ abi: batchSettlementAbi, name: 'Refunded' }),
      // Channel ids are 0x and 64 hex characters.
      args: { channelId: id as Hex },
      fromBlock: blockNumber > logRangeBlocks ? blockNumber - logRangeBlocks : 0n,
    });
    const last = logs.at(-1);
    return last ? { atomic: last.args.amount, transactionHash: last.transactionHash } : null;
  }
}
