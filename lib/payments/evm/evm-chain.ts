import { createPublicClient, type Hex, type PublicClient, type TransactionReceipt } from 'viem';
import type { EvmNetwork, Offer } from '@/lib/payments/network-offers';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { ChainPlatform } from '@/lib/platform/platform';
import { type Batcher, findBatcher } from './batcher';
import { BlockTimes } from './block-times';
import { type Fees, feesFor } from './evm-gas';
import { commonReceipt, receiptAt } from './mined-receipts';
import { NewBlocks } from './new-blocks';
import { openTransports } from './rpc-transports';
import type { SignedSettlement } from './settlement-transaction';
import { SynchronousSend } from './synchronous-send';

/** The newest block, cached for about a block time. */
interface Head {
  readonly number: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly baseFeePerGas: bigint;
  readonly readAt: number;
}

/** Reads one EVM chain: its head and fees, receipts, and the multicall contract. */
export class EvmChain {
  readonly #app: ChainPlatform;
  readonly offer: Offer<EvmNetwork>;
  /** For data that no payment depends on: the first RPC that answers. */
  readonly client: PublicClient;
  /** For data that payments depend on: every RPC separately. */
  readonly #witnesses: readonly PublicClient[];
  /** Uses the first RPC, to which transactions are sent while it works. */
  readonly #synchronousSend: SynchronousSend | null;
  readonly #newBlocks: NewBlocks | null;
  readonly #blockTimes = new BlockTimes();
  #head: Promise<Head> | null = null;
  #priorityFee: { perGas: bigint; readAt: number } | null = null;
  #batcher: Promise<Batcher | null> | null = null;

  /** @param nodes the RPCs of the offer; an app has them once for each network */
  constructor(app: ChainPlatform, offer: Offer<EvmNetwork>, nodes = new RpcNodes(app, offer)) {
    this.#app = app;
    this.offer = offer;
    const { any, each } = openTransports(app, nodes);
    this.client = createPublicClient({ transport: any });
    this.#witnesses = each.map((transport) => createPublicClient({ transport }));
    this.#newBlocks = offer.blocksUrl ? new NewBlocks(app, offer.network.name, offer.blocksUrl) : null;
    const [first] = nodes.all;
    this.#synchronousSend = first ? new SynchronousSend(app, first) : null;
  }

  get token(): Hex {
    // configuredOffers checksums it, so it starts with 0x.
    return this.offer.asset as Hex;
  }

  /** The newest block, at most two seconds old. */
  async head(): Promise<Head> {
    const known = await this.#head?.catch(() => null);
    if (known && this.#app.clock.monotonic() - known.readAt < this.#app.timings.evm.headAgeMaxMs)
      return known;
    this.#head = this.client.getBlock().then(({ number, timestamp, baseFeePerGas }) => {
      const readAt = this.#app.clock.monotonic();
      this.#blockTimes.read({ number, timestamp }, readAt);
      return { number, timestamp, baseFeePerGas: baseFeePerGas ?? 0n, readAt };
    });
    return this.#head;
  }

  /** The fees that a transaction should offer now. */
  async fees(): Promise<Fees> {
    const [{ baseFeePerGas }, priorityFee] = await Promise.all([this.head(), this.#currentPriorityFee()]);
    return feesFor(baseFeePerGas, priorityFee, this.offer.network.feePerGasMax);
  }

  async #currentPriorityFee(): Promise<bigint> {
    const known = this.#priorityFee;
    if (known && this.#app.clock.monotonic() - known.readAt < this.#app.timings.evm.priorityFeeAgeMaxMs)
      return known.perGas;
    const perGas = await this.client.estimateMaxPriorityFeePerGas();
    this.#priorityFee = { perGas, readAt: this.#app.clock.monotonic() };
    return perGas;
  }

  /** Whether `sendSynchronously` works at the moment, as far as known. */
  get sendsSynchronously(): boolean {
    return this.#synchronousSend?.isOffered === true;
  }

  /** Finds out whether the RPC offers more than the methods that every node has. */
  async probe(): Promise<void> {
    await this.#synchronousSend?.probe();
  }

  /** Whether the node is announcing new blocks at the moment. */
  get tellsNewBlocks(): boolean {
    return this.#newBlocks?.isHeard === true;
  }

  /** How many new blocks the node has announced. */
  get blocksTold(): number {
    return this.#newBlocks?.told ?? 0;
  }

  /** Whether it is known when blocks come, without being told. */
  get foreseesBlocks(): boolean {
    return this.#blockTimes.areKnown;
  }

  /** Call when a block has been found that was waited for. */
  sawBlock(number: bigint): void {
    this.#blockTimes.saw(number, this.#app.clock.monotonic());
  }

  /**
   * Waits for the next block if the node announces it, or for the moment when it should come, but no longer than `ms`.
   * @param blocksTold how many had been announced when the caller last looked; any later one counts as new
   * @returns whether there should be a new block
   */
  async nextBlock(ms: number, blocksTold: number): Promise<boolean> {
    const { clock } = this.#app;
    const dueIn = this.tellsNewBlocks ? null : this.#blockTimes.dueIn(clock.monotonic());
    const isDue = dueIn !== null && dueIn <= ms;
    const waitMs = isDue ? dueIn : ms;
    if (this.#newBlocks) return (await this.#newBlocks.next(waitMs, blocksTold)) || isDue;
    await clock.sleep(waitMs);
    return isDue;
  }

  /**
   * Broadcasts a transaction and waits for its block in one request. Even if this fails, it may have been sent.
   * @returns its receipt, or `mined` if not every RPC has it, or whether the node has probably accepted the transaction
   */
  async sendSynchronously(
    transaction: Pick<SignedSettlement, 'raw' | 'hash'>,
  ): Promise<TransactionReceipt | 'mined' | 'waiting' | 'failed'> {
    if (!this.#synchronousSend) return 'failed';
    const result = await this.#synchronousSend.send(transaction);
    if (result.kind !== 'mined') return result.kind;
    // One of several RPCs alone proves nothing.
    if (this.#witnesses.length === 1) return result.receipt;
    return (await this.receipt(transaction.hash).catch(() => null)) ?? 'mined';
  }

  /** The receipt of a mined transaction, once every RPC that answers returns the same; otherwise null. */
  async receipt(hash: Hex): Promise<TransactionReceipt | null> {
    const receipts = this.#answers((client) => receiptAt(client, hash));
    return commonReceipt(await (this.#witnesses.length > 1 ? receipts : receipts.catch(() => [null])));
  }

  /** Whether every RPC that answers has a block with a transaction of this nonce, or with a later one. */
  async isNonceUsed(address: Hex, nonce: number): Promise<boolean> {
    const answers = await this.#answers((client) => client.getTransactionCount({ address }));
    return answers.every((used) => used > nonce);
  }

  /**
   * Asks every RPC, and returns the answer only if all that respond agree. One node may lag behind, or lie.
   * @param summary the part of an answer that must be equal
   * @returns null when they disagree; throws when none responds
   */
  async unanimous<T>(
    ask: (client: PublicClient) => Promise<T>,
    summary: (answer: T) => string,
  ): Promise<T | null> {
    const [first, ...others] = await this.#answers(ask);
    const isUnanimous = others.every((answer) => summary(answer) === summary(first));
    return isUnanimous ? first : null;
  }

  /** The answers of the RPCs that respond; throws when none does. One in trouble is asked too, and has a moment to answer. */
  async #answers<T>(ask: (client: PublicClient) => Promise<T>): Promise<[T, ...T[]]> {
    const answers = await Promise.allSettled(this.#witnesses.map(ask));
    const [first, ...others] = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value] : [],
    );
    if (first === undefined) throw (answers[0] as PromiseRejectedResult).reason;
    return [first, ...others];
  }

  /** Asks every RPC. @throws when one does not respond */
  everyAnswer<T>(ask: (client: PublicClient) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#witnesses.map(ask));
  }

  /** The chain that each RPC serves, in their order; null where it does not respond. @throws when none does */
  async chainIds(): Promise<(number | null)[]> {
    const chainIds = await Promise.allSettled(this.#witnesses.map((client) => client.getChainId()));
    const [first] = chainIds;
    if (first?.status === 'rejected' && chainIds.every(({ status }) => status === 'rejected'))
      throw first.reason;
    return chainIds.map((answer) => (answer.status === 'fulfilled' ? answer.value : null));
  }

  /**
   * The receipt of a mined transaction that every RPC returns; null when none knows it, otherwise `unclear`.
   * @throws when an RPC does not respond
   */
  async agreedReceipt(hash: Hex): Promise<TransactionReceipt | null | 'unclear'> {
    const receipts = await this.everyAnswer((client) => receiptAt(client, hash));
    if (receipts.every((receipt) => receipt === null)) return null;
    return commonReceipt(receipts) ?? 'unclear';
  }

  /** The multicall contract that settlements use; throws when there is none. */
  async batcher(): Promise<Batcher> {
    const batcher = await (this.#batcher ?? this.findBatcher());
    if (!batcher) throw new Error('there is no multicall contract on this chain');
    return batcher;
  }

  /** Looks for the contract again. @returns null when the chain has none */
  async findBatcher(): Promise<Batcher | null> {
    const found = findBatcher(this.client, this.offer.network);
    const [batcher, before] = await Promise.all([found, this.#batcher]);
    this.#batcher = batcher ? found : null;
    if (batcher && !batcher.hasGasLimits && batcher.address !== before?.address) {
      this.#app.log.warn({ network: this.offer.network.name }, 'no multicall contract with gas limits');
    }
    return batcher;
  }
}
