import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import { encodeFunctionData, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { EvmChain } from '@/lib/payments/evm/chain';
import type { Submitter } from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { batchSettlementAbi } from './abi';
import type { Channel, ChannelEvent, CollectionBook } from './book';
import { ChannelDigests } from './digests';
import { logRangeBlocks, readEvents } from './events';
import { readChannel } from './read-channel';
import type { ChannelTerms } from './terms';

/** Rows of one claim, so that it fits into a block with the calls of others. */
const rowsMax = 50;
/** What is claimed and not swept is left with the contract until it is this much, in atomic USDC: a sweep costs gas. */
const sweepFromAtomic = 1_000_000n;
/** Estimates are made on a state that the next block may change. */
const gasReserve = { numerator: 13n, denominator: 10n };

/** A channel with what is claimed of it now: never more than was spent, nor than is left in it. */
interface Row {
  readonly channel: Channel;
  readonly signature: Hex;
  readonly totalAtomic: bigint;
}

/**
 * Collects what was spent by vouchers: claims it from the contract, and has it paid out. What became of a claim is learned from
 * the contract's events alone, so that one which is sent twice, or by somebody else, counts once.
 */
export class ChannelCollector {
  readonly #app: Platform;
  readonly #terms: ChannelTerms;
  readonly #chain: EvmChain;
  readonly #book: CollectionBook;
  readonly #submitter: Submitter;
  readonly #authorizer: ReturnType<typeof privateKeyToAccount>;
  readonly #digests: ChannelDigests;

  /** @param authorizerKey signs claims for the payee; `receiverAuthorizer` of the terms is its address */
  constructor(
    app: Platform,
    terms: ChannelTerms,
    to: { chain: EvmChain; book: CollectionBook; submitter: Submitter; authorizerKey: Hex },
  ) {
    this.#app = app;
    this.#terms = terms;
    this.#chain = to.chain;
    this.#book = to.book;
    this.#submitter = to.submitter;
    this.#authorizer = privateKeyToAccount(to.authorizerKey);
    this.#digests = new ChannelDigests(terms.offer.network.chainId);
  }

  get #network(): string {
    return this.#terms.offer.network.name;
  }

  /**
   * Follows the contract and claims what is due, if this process has the key of the network, so that one does it for all.
   * @throws when neither chain nor ledger can be asked
   */
  async work(): Promise<void> {
    if (!(await this.#submitter.canSubmit())) return;
    await this.#watch();
    await this.#collect();
  }

  /**
   * Reads the events since the last time. Those of final blocks are recorded. The channels of newer ones are read again, so that
   * a withdrawal is known at once.
   */
  async #watch(): Promise<void> {
    const [head, finalized] = await Promise.all([
      this.#chain.client.getBlockNumber({ cacheTime: 0 }),
      this.#chain.client.getBlock({ blockTag: 'finalized' }),
    ]);
    const known = await this.#book.watchedUntil(this.#network);
    // Before anything was watched, no channel was used.
    let { finalBlock, seenBlock } = known ?? { finalBlock: finalized.number, seenBlock: finalized.number };
    while (finalBlock < finalized.number) {
      const until = lower(finalBlock + logRangeBlocks, finalized.number);
      const events = await this.#ofOurs(await readEvents(this.#chain, this.#terms, finalBlock + 1n, until));
      await this.#renew(events.filter(({ blockNumber }) => blockNumber > seenBlock));
      finalBlock = until;
      seenBlock = higher(seenBlock, until);
      await this.#book.recordEvents(this.#network, events, { finalBlock, seenBlock });
    }
    if (head > finalBlock) {
      const start = higher(finalBlock, seenBlock - reorganizedMax) + 1n;
      const events = await this.#ofOurs(await readEvents(this.#chain, this.#terms, start, head));
      await this.#renew(events.filter(({ blockNumber }) => blockNumber > seenBlock - reorganizedMax));
      seenBlock = head;
    }
    await this.#book.recordEvents(this.#network, [], { finalBlock, seenBlock });
  }

  async #collect(): Promise<void> {
    const due = await this.#book.due(this.#network, rowsMax);
    if (due.length === 0) return;
    const rows = await this.#rowsOf(due);
    const claim = await this.#encodeClaimable(rows);
    if (!claim) return;
    await this.#book.publish(
      claim.rows.map(({ channel }) => ({ channelId: channel.id, totalAtomic: channel.chargedAtomic })),
    );
    const isSent = await this.#submitter.submit({
      to: BATCH_SETTLEMENT_ADDRESS,
      data: claim.data,
      gas: (claim.gas * gasReserve.numerator) / gasReserve.denominator,
    });
    const atomic = claim.rows.reduce((sum, row) => sum + row.totalAtomic - row.channel.claimedAtomic, 0n);
    this.#app.log.info(
      { network: this.#network, channels: claim.rows.length, atomic, isSent },
      'payment channels are claimed',
    );
  }

  async #ofOurs(events: readonly ChannelEvent[]): Promise<readonly ChannelEvent[]> {
    const named = [...new Set(events.flatMap(({ channelId }) => channelId ?? []))];
    const ours = new Set((await this.#book.known(named)).map(({ id }) => id));
    return events.filter(({ channelId }) => channelId === null || ours.has(channelId));
  }

  async #renew(events: readonly ChannelEvent[]): Promise<void> {
    const ids = [...new Set(events.flatMap(({ channelId }) => channelId ?? []))];
    for (const channel of await this.#book.known(ids)) await this.#read(channel);
  }

  async #read(channel: Channel): Promise<Channel> {
    return this.#book.record(channel, await readChannel(this.#chain, channel.id));
  }

  /** What is left to claim of each channel, by the chain as it is now. */
  async #rowsOf(due: readonly Channel[]): Promise<Row[]> {
    const rows: Row[] = [];
    for (const known of due) {
      const channel = await this.#read(known);
      const { signature, chargedAtomic, balanceAtomic, claimedAtomic } = channel;
      const totalAtomic = lower(chargedAtomic, balanceAtomic);
      if (signature !== null && totalAtomic > claimedAtomic)
        rows.push({ channel, signature: signature as Hex, totalAtomic });
    }
    return rows;
  }

  /** One row that the contract does not take would revert all others: then it is left out. */
  async #encodeClaimable(
    rows: readonly Row[],
  ): Promise<{ rows: readonly Row[]; data: Hex; gas: bigint } | null> {
    if (rows.length === 0) return null;
    const whole = await this.#estimate(rows).catch(() => null);
    if (whole) return { rows, ...whole };
    const claimable: Row[] = [];
    for (const row of rows) {
      const failure = await this.#estimate([row]).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure === null) claimable.push(row);
      else
        this.#app.log.error(
          { network: this.#network, channel: row.channel.id, error: describeError(failure) },
          'a payment channel cannot be claimed',
        );
    }
    if (claimable.length === 0 || claimable.length === rows.length) return null;
    return { rows: claimable, ...(await this.#estimate(claimable)) };
  }

  async #estimate(rows: readonly Row[]): Promise<{ data: Hex; gas: bigint }> {
    const data = await this.#encode(rows);
    const gas = await this.#chain.client.estimateGas({ to: BATCH_SETTLEMENT_ADDRESS, data });
    return { data, gas };
  }

  async #encode(rows: readonly Row[]): Promise<Hex> {
    const entries = rows.map(({ channel, totalAtomic }) => ({
      channelId: channel.id as Hex,
      maxClaimableAtomic: channel.chargedAtomic,
      totalClaimedAtomic: totalAtomic,
    }));
    const authorizerSignature = await this.#authorizer.sign({ hash: this.#digests.claimBatch(entries) });
    const claims = rows.map(({ channel, signature, totalAtomic }) => ({
      voucher: { channel: channel.config, maxClaimableAmount: channel.chargedAtomic },
      signature,
      totalClaimed: totalAtomic,
    }));
    const claim = encodeFunctionData({
      abi: batchSettlementAbi,
      functionName: 'claimWithSignature',
      args: [claims, authorizerSignature],
    });
    const { receiver, token } = this.#parties;
    const [claimed, settled] = await this.#chain.client.readContract({
      address: BATCH_SETTLEMENT_ADDRESS,
      abi: batchSettlementAbi,
      functionName: 'receivers',
      args: [receiver, token],
    });
    const more = rows.reduce((sum, row) => sum + row.totalAtomic - row.channel.claimedAtomic, 0n);
    const calls = [claim];
    if (claimed - settled + more >= sweepFromAtomic)
      calls.push(
        encodeFunctionData({ abi: batchSettlementAbi, functionName: 'settle', args: [receiver, token] }),
      );
    return encodeFunctionData({ abi: batchSettlementAbi, functionName: 'multicall', args: [calls] });
  }

  get #parties(): { receiver: Hex; token: Hex } {
    // configuredOffers checksums both, so they start with 0x.
    return { receiver: this.#terms.offer.payTo as Hex, token: this.#terms.offer.asset as Hex };
  }
}

/** So many of the newest blocks are looked at again: others may have taken their places. */
const reorganizedMax = 32n;

function lower(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function higher(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
