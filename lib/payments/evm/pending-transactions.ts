import type { TransactionReceipt } from 'viem';
import type { Outbox } from '@/lib/payments/journal';
import type { Outcome } from '@/lib/payments/outcome';
import { describeError } from '@/lib/platform/log';
import type { OngoingProblem } from '@/lib/platform/ongoing-problem';
import type { ChainPlatform } from '@/lib/platform/platform';
import { type Confirmation, confirm } from './confirmation';
import type { EvmChain } from './evm-chain';
import type { FailedCharges } from './failed-charges';
import { addVariant, Replacements } from './replacements';
import type { EvmCharge, EvmSigner, SignedSettlement } from './settlement-transaction';

/** A nonce that is not in a block yet, with the transactions that use it: the first one and its replacements. */
export interface PendingTransaction {
  readonly signer: EvmSigner;
  readonly nonce: number;
  readonly charges: readonly EvmCharge[];
  readonly variants: SignedSettlement[];
}

/**
 * How often a used nonce may be found without a receipt before the transaction is given up. Nodes lag behind each other, so
 * once proves nothing.
 */
const usedWithoutReceiptMax = 4;

/** Follows the pending transactions of one process on one network. Only the chain decides when one has ended. */
export class PendingTransactions {
  readonly #app: ChainPlatform;
  readonly #chain: EvmChain;
  readonly #outbox: Outbox;
  readonly #failed: FailedCharges;
  readonly #pending = new Set<PendingTransaction>();
  readonly #outcomes = new Map<string, Promise<Outcome>>();
  /** A stalled network delays all settlements, and is logged once rather than for each of them. */
  readonly #silence: OngoingProblem;
  readonly #refusedBroadcasts: OngoingProblem;
  readonly #replacements: Replacements;

  constructor(app: ChainPlatform, chain: EvmChain, outbox: Outbox, failed: FailedCharges) {
    this.#app = app;
    this.#chain = chain;
    this.#outbox = outbox;
    this.#failed = failed;
    const { name } = chain.offer.network;
    this.#silence = this.#app.problems.get(`settlements wait on ${name}`);
    this.#refusedBroadcasts = this.#app.problems.get(`broadcasts on ${name}`);
    this.#replacements = new Replacements(app, chain, outbox);
  }

  get count(): number {
    return this.#pending.size;
  }

  /** Every pending charge, oldest transaction first. */
  charges(): EvmCharge[] {
    return [...this.#pending].flatMap(({ charges }) => charges);
  }

  /** Hashes of every pending transaction. */
  hashes(): string[] {
    return [...this.#pending].flatMap(({ variants }) => variants.map(({ hash }) => hash));
  }

  /** Whether a pending transaction uses this nonce of the signer. */
  uses(signer: EvmSigner, nonce: number): boolean {
    return [...this.#pending].some((pending) => pending.signer === signer && pending.nonce === nonce);
  }

  /** The signer's lowest pending nonce; null when there is none. */
  lowest(signer: EvmSigner): number | null {
    const nonces = [...this.#pending]
      .filter((pending) => pending.signer === signer)
      .map(({ nonce }) => nonce);
    return nonces.length === 0 ? null : Math.min(...nonces);
  }

  /** The outcome of a pending call; null when it is not pending. */
  outcomeOf(paidCallId: string): Promise<Outcome> | null {
    return this.#outcomes.get(paidCallId) ?? null;
  }

  /** Broadcasts a recorded transaction, and follows it until it is in a block. */
  submit(pending: PendingTransaction): void {
    this.#begin(pending, () => this.#send(pending));
  }

  /** @param send broadcasts it, and returns what the node said about it, if anything */
  #begin(pending: PendingTransaction, send: () => Promise<TransactionReceipt | null>): void {
    this.#pending.add(pending);
    const confirmation = this.#follow(pending, send);
    const ended = confirmation
      .then(({ recorded }) => recorded)
      .catch((error: unknown) => this.#logUnrecorded(pending, error))
      .finally(() => this.#pending.delete(pending));
    for (const { paidCallId } of pending.charges) {
      const outcome = confirmation.then(
        ({ outcomes }) => outcomes.get(paidCallId) ?? unknownIn(pending),
        () => unknownIn(pending),
      );
      this.#outcomes.set(paidCallId, outcome);
      void Promise.all([ended, outcome]).finally(() => {
        // A retry may have replaced this one.
        if (this.#outcomes.get(paidCallId) === outcome) this.#outcomes.delete(paidCallId);
      });
    }
  }

  /** Follows open transactions of an earlier lease, or adds them to the pending one with the same nonce. */
  adopt(pending: PendingTransaction): void {
    const existing = [...this.#pending].find(
      ({ signer, nonce }) => signer === pending.signer && nonce === pending.nonce,
    );
    if (existing) {
      for (const variant of pending.variants) addVariant(existing, variant);
      return;
    }
    this.#app.log.info(
      { ...this.#described(pending), payments: pending.charges.length },
      'an open settlement was resumed',
    );
    // The node may know it already, so it is broadcast as usual.
    this.#begin(pending, () => this.#broadcast(pending).then(() => null));
  }

  async #follow(
    pending: PendingTransaction,
    send: () => Promise<TransactionReceipt | null>,
  ): Promise<Confirmation> {
    const end = this.#app.metrics.settlementSeconds.startTimer(this.#network);
    const sentAt = this.#app.clock.monotonic();
    const receipt = await this.#untilMined(pending, sentAt, await send());
    if (!receipt) return this.#giveUp(pending);
    end();
    return confirm(pending, receipt, {
      network: this.#chain.offer.network.name,
      outbox: this.#outbox,
      failed: this.#failed,
    });
  }

  /** The transaction is still open in the ledger, and is adopted again from there. */
  #logUnrecorded(pending: PendingTransaction, error: unknown): void {
    this.#app.log.error(
      { ...this.#described(pending), error: describeError(error) },
      'a settlement was not recorded',
    );
  }

  /**
   * Broadcasts a transaction for the first time. If the node offers it, the same request waits for the block.
   * @returns what the node said about it; null when the node has to be asked
   */
  async #send(pending: PendingTransaction): Promise<TransactionReceipt | null> {
    const [signed] = pending.variants;
    if (signed && this.#chain.sendsSynchronously) {
      const result = await this.#chain.sendSynchronously(signed);
      if (typeof result === 'object') return result;
      if (result === 'mined') return null;
      // A node that did not know the predecessor may have kept nothing, whatever it says.
      if (result === 'waiting' && this.lowest(pending.signer) === pending.nonce) return null;
    }
    await this.#broadcast(pending);
    return null;
  }

  /** Broadcasts the newest variant. From here on the transaction may be mined, even if the node responds with an error. */
  async #broadcast(pending: PendingTransaction): Promise<void> {
    const newest = pending.variants.at(-1);
    if (!newest) throw new Error('a pending transaction has a signed variant');
    try {
      await this.#chain.client.sendRawTransaction({ serializedTransaction: newest.raw });
      this.#refusedBroadcasts.end(this.#network);
    } catch (error) {
      this.#refusedBroadcasts.report(
        'warn',
        { ...this.#described(pending), error: describeError(error) },
        'a broadcast was not acknowledged; polling for the receipt',
      );
    }
  }

  /** @param known what the node has said about it already */
  async #untilMined(
    pending: PendingTransaction,
    sentAt: number,
    known: TransactionReceipt | null,
  ): Promise<TransactionReceipt | null> {
    let since = { sentAt, usedWithoutReceipt: 0 };
    let maintainAt = sentAt + this.#app.timings.evm.maintainMs;
    let wait = this.#app.timings.evm.pollFirstMs;
    for (let receipt = known; ; receipt = null) {
      // Its block may be announced while the node is being asked.
      const { blocksTold } = this.#chain;
      receipt ??= await this.#receiptOf(pending);
      if (receipt) {
        this.#chain.sawBlock(receipt.blockNumber);
        this.#silence.end(this.#network);
        return receipt;
      }
      if (since.usedWithoutReceipt >= usedWithoutReceiptMax) return null;
      if (this.#app.clock.monotonic() >= maintainAt) {
        since = await this.#maintain(pending, since);
        maintainAt = this.#app.clock.monotonic() + this.#app.timings.evm.maintainMs;
      }
      const isNewBlock = await this.#chain.nextBlock(wait, blocksTold);
      // The node that is asked for receipts may be a little behind the one that announces blocks, or its block a little late.
      wait = isNewBlock ? this.#app.timings.evm.pollFirstMs : this.#longer(wait, sentAt);
    }
  }

  /**
   * The next pause between polls. While a request waits for it, a transaction is polled most often if it is the only one and
   * nobody knows when blocks come.
   */
  #longer(wait: number, sentAt: number): number {
    const { pollMaxAloneMs, pollMaxMs, pollMaxBesideBlocksMs, answerWithinMs } = this.#app.timings.evm;
    if (this.#chain.tellsNewBlocks) return Math.min(wait * 2, pollMaxBesideBlocksMs);
    // Most blocks come when they should, and then all polls before were in vain.
    if (this.#chain.foreseesBlocks) return Math.min(wait * 4, pollMaxBesideBlocksMs);
    const isAwaited = this.#app.clock.monotonic() - sentAt < answerWithinMs;
    return Math.min(wait * 2, this.count === 1 && isAwaited ? pollMaxAloneMs : pollMaxMs);
  }

  async #receiptOf(pending: PendingTransaction): Promise<TransactionReceipt | null> {
    for (const { hash } of pending.variants) {
      const receipt = await this.#chain.receipt(hash).catch(() => null);
      if (receipt) return receipt;
    }
    return null;
  }

  /**
   * Broadcasts again if a node may have lost the transaction, replaces it if its fees are too low, and notices if another
   * transaction used its nonce.
   */
  async #maintain(pending: PendingTransaction, since: { sentAt: number; usedWithoutReceipt: number }) {
    try {
      const used = await this.#chain.client.getTransactionCount({ address: pending.signer.address });
      if (used > pending.nonce) {
        // A node that is behind has no receipt either.
        const isCertain = await this.#chain.isNonceUsed(pending.signer.address, pending.nonce);
        return { ...since, usedWithoutReceipt: isCertain ? since.usedWithoutReceipt + 1 : 0 };
      }
      const isNext = used === pending.nonce;
      if (isNext && (await this.#replacements.replace(pending, this.#app.clock.monotonic() - since.sentAt))) {
        await this.#broadcast(pending);
        return { sentAt: this.#app.clock.monotonic(), usedWithoutReceipt: 0 };
      }
      await this.#broadcast(pending);
      this.#silence.end(this.#network);
    } catch (error) {
      this.#silence.report(
        'warn',
        { ...this.#described(pending), pending: this.count, error: describeError(error) },
        'settlements wait for their chain',
      );
    }
    return { ...since, usedWithoutReceipt: 0 };
  }

  /** Another transaction used the nonce, so ours can never be mined, and recovery looks up each payment. */
  async #giveUp(pending: PendingTransaction): Promise<Confirmation> {
    this.#app.log.error(
      this.#described(pending),
      'the nonce of a settlement was used by a transaction that is not ours',
    );
    await this.#outbox.recordDropped(
      this.#chain.offer.network.name,
      pending.variants.map(({ hash }) => hash),
    );
    return { recorded: Promise.resolve(), outcomes: new Map() };
  }

  get #network() {
    return { network: this.#chain.offer.network.name };
  }

  #described({ nonce, variants }: PendingTransaction) {
    return { ...this.#network, nonce, transaction: variants.at(-1)?.hash };
  }
}

function unknownIn({ variants }: PendingTransaction): Outcome {
  return { kind: 'unknown', transactionHash: variants.at(-1)?.hash ?? null };
}
