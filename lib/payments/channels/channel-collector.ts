import type { EvmChain } from '@/lib/payments/evm/evm-chain';
import type { ContractCall, Submitter } from '@/lib/payments/settlers';
import { runSerially } from '@/lib/platform/concurrency/run-serially';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { type Channel, type ChannelEvent, type CollectionBook, type Payee, reorganizedMax } from './channel';
import { logRangeBlocks, readEvents } from './channel-events';
import type { ChannelTerms } from './channel-terms';
import { type ClaimRow, type ContractCalls, claimRow, rethrowUnlessReverted } from './contract-calls';
import { readChannel } from './read-channel';

/** The most rows in one claim, so that it fits into a block alongside other transactions. */
const rowsMax = 50;
/** The most claims that are sent in one round while channels close. */
const claimsMax = 40;

/**
 * Collects what was spent through vouchers: claims it from the contract and has it paid out. The outcome of a claim is read
 * only from the contract's events, so a claim that is sent twice, or by someone else, counts once.
 */
export class ChannelCollector {
  readonly #app: Pick<Platform, 'clock' | 'log' | 'timings'>;
  readonly #terms: ChannelTerms;
  readonly #chain: EvmChain;
  readonly #book: CollectionBook;
  readonly #submitter: Submitter;
  readonly #calls: ContractCalls;
  /** When a claim was last sent, or a sweep considered, by the monotonic clock. */
  #sentAt: number;

  constructor(
    app: Pick<Platform, 'clock' | 'log' | 'timings'>,
    terms: ChannelTerms,
    to: { chain: EvmChain; book: CollectionBook; submitter: Submitter; calls: ContractCalls },
  ) {
    this.#app = app;
    this.#terms = terms;
    this.#chain = to.chain;
    this.#book = to.book;
    this.#submitter = to.submitter;
    this.#calls = to.calls;
    this.#sentAt = app.clock.monotonic();
  }

  get #network(): string {
    return this.#terms.offer.network.name;
  }

  /**
   * Follows the contract and claims what was spent. Runs only in the process that has the network's key.
   * @throws when the chain or the ledger cannot be reached
   */
  async work(): Promise<void> {
    if (!(await this.#submitter.canSubmit())) return;
    // Claims go on even while a node returns no logs, because only claimed funds are safe.
    await runSerially([() => this.#watch(), () => this.#collect(), () => this.#sweep()]);
  }

  /**
   * Reads the events since the last time. Events of final blocks are recorded. Channels with newer events are read again, so
   * that a withdrawal is noticed at once.
   */
  async #watch(): Promise<void> {
    const [head, finalized] = await Promise.all([
      this.#chain.client.getBlockNumber({ cacheTime: 0 }),
      this.#chain.client.getBlock({ blockTag: 'finalized' }),
    ]);
    const known = await this.#book.watchedUntil(this.#network);
    // The ledger stores a starting block with its first channel.
    let finalBlock = known?.finalBlock ?? finalized.number;
    // A node may have reported a height that its chain had not reached.
    let seenBlock = lower(known?.seenBlock ?? finalized.number, head);
    while (finalBlock < finalized.number) {
      const until = lower(finalBlock + logRangeBlocks, finalized.number);
      const events = await this.#ofOurs(await readEvents(this.#chain, finalBlock + 1n, until));
      // A node that reported a newer block may have omitted its logs.
      await this.#renew(
        events,
        ({ blockNumber }, known) => blockNumber > lower(seenBlock, known.blockNumber),
      );
      finalBlock = until;
      seenBlock = higher(seenBlock, until);
      await this.#book.recordEvents(this.#network, events, { finalBlock, seenBlock });
    }
    if (head > finalBlock) {
      const start = higher(finalBlock, seenBlock - reorganizedMax) + 1n;
      const events = await this.#ofOurs(await readEvents(this.#chain, start, head));
      await this.#renew(events, ({ blockNumber }) => blockNumber > seenBlock - reorganizedMax);
      seenBlock = head;
    }
    await this.#book.recordEvents(this.#network, [], { finalBlock, seenBlock });
  }

  /** While channels close, all of them are claimed and the key may have leaked, so no claim waits for the next round. */
  async #collect(): Promise<void> {
    const { isClosing } = this.#terms;
    for (let claims = 0; claims < (isClosing ? claimsMax : 1); claims += 1) {
      const due = await this.#book.due(this.#network, { limit: rowsMax, isClosing });
      if (due.length === 0 || !(await this.#claim(due)) || due.length < rowsMax) return;
    }
  }

  /** @returns false when this process no longer has the key, so that another one claims them */
  async #claim(due: readonly Channel[]): Promise<boolean> {
    const rows = await this.#rowsOf(due);
    const claimable = await this.#encodeClaimable(rows);
    const claim = claimable && (await this.#take(claimable));
    if (!claim) return true;
    this.#sentAt = this.#app.clock.monotonic();
    if (!(await this.#submitter.submit(claim.call))) {
      await this.#book.giveBackClaims(claim.rows.map(({ channel }) => channel.id));
      return false;
    }
    const atomic = claim.rows.reduce((sum, row) => sum + row.totalAtomic - row.channel.claimedAtomic, 0n);
    this.#app.log.info(
      { network: this.#network, channels: claim.rows.length, atomic },
      'payment channels are claimed',
    );
    return true;
  }

  /** Claims also sweep. After a while without a claim, funds that an earlier claim could not pay out are swept on their own. */
  async #sweep(): Promise<void> {
    const now = this.#app.clock.monotonic();
    if (now - this.#sentAt < this.#app.timings.channels.claimAgainAfterMs) return;
    this.#sentAt = now;
    const call = await this.#calls.sweep();
    if (!call) return;
    const isSent = await this.#submitter.submit(call);
    this.#app.log.info({ network: this.#network, isSent }, 'claimed funds were paid out');
  }

  /** Leaves out channels that another process is claiming with its own key. @returns null when none are left */
  async #take({ rows, call }: Claim): Promise<Claim | null> {
    const taken = await this.#book.takeClaims(
      rows.map(({ channel }) => ({ channelId: channel.id, totalAtomic: channel.chargedAtomic })),
    );
    const own = rows.filter(({ channel }) => taken.has(channel.id));
    if (own.length === 0) return null;
    return own.length === rows.length ? { rows, call } : { rows: own, call: await this.#calls.claim(own) };
  }

  async #ofOurs(events: readonly ChannelEvent[]): Promise<readonly ChannelEvent[]> {
    const named = [...new Set(events.flatMap(({ channelId }) => channelId ?? []))];
    const ours = new Set((await this.#book.known(named)).map(({ id }) => id));
    const payees = await this.#ourPayees(events);
    return events.filter((event) =>
      event.channelId === null ? payees.has(keyOf(event)) : ours.has(event.channelId),
    );
  }

  /** Those payees of payouts that are ours. Channels outlast the settings that they were opened with. */
  async #ourPayees(events: readonly ChannelEvent[]): Promise<ReadonlySet<string>> {
    const { payTo, asset } = this.#terms.offer;
    const current = keyOf({ receiver: payTo, token: asset });
    const others = new Map<string, Payee>();
    for (const event of events) {
      if (event.channelId !== null || keyOf(event) === current) continue;
      others.set(keyOf(event), { receiver: event.receiver, token: event.token });
    }
    const known = await this.#book.knownPayees(this.#network, [...others.values()]);
    return new Set([current, ...known.map(keyOf)]);
  }

  /** @param isNews whether an event may have changed the known state of its channel */
  async #renew(
    events: readonly ChannelEvent[],
    isNews: (event: ChannelEvent, known: Channel) => boolean,
  ): Promise<void> {
    const ids = [...new Set(events.flatMap(({ channelId }) => channelId ?? []))];
    for (const channel of await this.#book.known(ids))
      if (events.some((event) => event.channelId === channel.id && isNews(event, channel)))
        await this.#read(channel);
  }

  async #read(channel: Channel): Promise<Channel> {
    return this.#book.record(channel, await readChannel(this.#chain, channel.id));
  }

  /**
   * The amount left to claim from each channel, by its current state on the chain. A channel that still owes but holds
   * nothing to claim is skipped for a while, because it would take the place of others in every round.
   */
  async #rowsOf(due: readonly Channel[]): Promise<ClaimRow[]> {
    const rows: ClaimRow[] = [];
    for (const known of due) {
      const channel = await this.#read(known);
      const row = claimRow(channel);
      if (row) rows.push(row);
      else if (channel.chargedAtomic > channel.claimedAtomic)
        await this.#leaveOut(channel, new Error('the channel holds nothing to claim'));
    }
    return rows;
  }

  /** A single row that the contract rejects would revert all others, so it is left out. */
  async #encodeClaimable(rows: readonly ClaimRow[]): Promise<Claim | null> {
    if (rows.length === 0) return null;
    const whole = await this.#calls.claim(rows).catch(rethrowUnlessReverted);
    if (whole) return { rows, call: whole };
    const claimable: (Claim & { readonly row: ClaimRow })[] = [];
    for (const row of rows) {
      const call = await this.#calls.claim([row]).catch((error: unknown) => {
        rethrowUnlessReverted(error);
        return this.#leaveOut(row.channel, error);
      });
      if (call) claimable.push({ row, rows: [row], call });
    }
    const [first] = claimable;
    if (!first) return null;
    const left = claimable.map(({ row }) => row);
    const call = await this.#calls.claim(left).catch(rethrowUnlessReverted);
    return call ? { rows: left, call } : first;
  }

  /** Leaves a channel to the operator. Its claim is tried again later. */
  async #leaveOut({ id }: Channel, error: unknown): Promise<null> {
    this.#app.log.error(
      { network: this.#network, channel: id, error: describeError(error) },
      'a payment channel cannot be claimed',
    );
    await this.#book.noteUnclaimable(id);
    return null;
  }
}

/** One transaction, and the rows that it claims. */
interface Claim {
  readonly rows: readonly ClaimRow[];
  readonly call: ContractCall;
}

function keyOf({ receiver, token }: Payee): string {
  return `${receiver} ${token}`;
}

function lower(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function higher(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
