import type { PreconfirmationRecord } from '@/lib/payments/journal';
import type { Outcome } from '@/lib/payments/outcome';
import { describeError } from '@/lib/platform/log';
import type { ChainPlatform } from '@/lib/platform/platform';
import { carriesPayment } from './authorized-transfers';
import type { EvmChain } from './evm-chain';
import type { PendingTransaction } from './pending-transactions';
import { isSentAlone } from './settlement-transaction';
import type { Sighting } from './transaction-sightings';

/** A payer's limit is the network's limit divided by this. */
const payerShare = 10n;

/** A transaction whose calls may have been answered before it is in a block. */
interface Watched {
  readonly since: number;
  /** The newest block when it was first looked for; null before that. */
  seenBlock: bigint | null;
  /** Calls that were answered. */
  readonly answered: ReadonlySet<string>;
}

/** The outcome of a charge that may be known before its block. */
interface Earlier {
  readonly outcome: Promise<Outcome>;
  resolve(outcome: Outcome): void;
}

/**
 * Answers calls once a node has pre-confirmed that their transaction will be in the next block, where the operator has
 * allowed that (docs/decisions/preconfirmations.md), and notices when the pre-confirmation is broken. The ledger limits the
 * amount that is open at once.
 */
export class Preconfirmations {
  readonly #app: ChainPlatform;
  readonly #chain: EvmChain;
  readonly #record: PreconfirmationRecord;
  /** Transactions for which it is decided which charges are answered now and which wait for the block. */
  readonly #isDecided = new WeakSet<PendingTransaction>();
  readonly #watched = new Map<PendingTransaction, Watched>();
  readonly #earlier = new Map<string, Earlier>();

  constructor(app: ChainPlatform, chain: EvmChain, record: PreconfirmationRecord) {
    this.#app = app;
    this.#chain = chain;
    this.#record = record;
  }

  get #isOn(): boolean {
    return this.#chain.offer.preconfirmedMaxAtomic > 0n;
  }

  /** Whether a pre-confirmation of this transaction would answer calls. */
  isAwaited(pending: PendingTransaction): boolean {
    return this.#isOn && pending.variants.length === 1 && !this.#isDecided.has(pending);
  }

  /** Whether every call of the transaction is answered, so that no request waits for its block. */
  isAnswered(pending: PendingTransaction): boolean {
    const answered = this.#watched.get(pending)?.answered;
    return answered !== undefined && pending.charges.every(({ paidCallId }) => answered.has(paidCallId));
  }

  /** Whether calls may have been answered that depend on this transaction. */
  isWatched(pending: PendingTransaction): boolean {
    return this.#watched.has(pending);
  }

  /** The outcome of a charge, from its block or from an earlier pre-confirmation. */
  orEarlier(paidCallId: string, final: Promise<Outcome>): Promise<Outcome> {
    return this.#isOn ? Promise.race([this.#earlierOf(paidCallId).outcome, final]) : final;
  }

  /** Follows a transaction on which an earlier process has answered calls. */
  adopt(pending: PendingTransaction): void {
    this.#isDecided.add(pending);
    this.#watch(pending, []);
  }

  /** Answers the charges that may be answered on this pre-confirmation. The others wait for the block. */
  async answer(pending: PendingTransaction, { receipt }: Sighting): Promise<void> {
    const [signed] = pending.variants;
    if (!signed || !this.isAwaited(pending)) return;
    // A payer's code may behave differently in the final block than in the pre-confirmation, so payers with code wait. A
    // deposit into a channel is not the payment of a call.
    const paidCallIds = pending.charges
      .filter(
        (charge) => !isSentAlone(charge) && charge.code === null && carriesPayment(receipt, charge.payment),
      )
      .map(({ paidCallId }) => paidCallId);
    if (paidCallIds.length === 0) {
      this.#isDecided.add(pending);
      return;
    }
    const { network, preconfirmedMaxAtomic } = this.#chain.offer;
    try {
      const { settled, isRaced } = await this.#record.recordPreconfirmed({
        network: network.name,
        hash: signed.hash,
        paidCallIds,
        openMax: { onNetwork: preconfirmedMaxAtomic, ofPayer: preconfirmedMaxAtomic / payerShare },
      });
      if (!isRaced) this.#isDecided.add(pending);
      if (settled.length > 0) this.#watch(pending, settled);
      const outcome = {
        kind: 'settled',
        transactionHash: signed.hash,
        block: null,
        isInLedger: true,
      } as const;
      for (const paidCallId of settled) this.#earlierOf(paidCallId).resolve(outcome);
    } catch (error) {
      // It is not known what was recorded.
      this.#isDecided.add(pending);
      this.#watch(pending, []);
      this.#app.log.warn(
        { network: network.name, transaction: signed.hash, error: describeError(error) },
        'a pre-confirmation was not recorded; its payments wait for their block',
      );
    }
  }

  /**
   * Whether the chain has grown without a transaction on which calls were answered. Then their settlement is undone, and
   * calls on this network wait for their blocks until an operator resumes.
   */
  async isLost(pending: PendingTransaction): Promise<boolean> {
    const watched = this.#watched.get(pending);
    if (!watched) return false;
    watched.seenBlock ??= await this.#chain.client.getBlockNumber({ cacheTime: 0 });
    const waitedMs = this.#app.clock.monotonic() - watched.since;
    if (waitedMs < this.#app.timings.evm.preconfirmationPatienceMs) return false;
    // One block may have been sealed before the transaction reached its builder.
    const due = watched.seenBlock + 2n;
    const missing = await Promise.all(pending.variants.map(({ hash }) => this.#chain.isMissingAt(hash, due)));
    if (!missing.every((isMissing) => isMissing)) return false;
    await this.undo(pending);
    return true;
  }

  /** Undoes the settlement of calls that were answered, because the transaction is not in a block, or can never be. */
  async undo(pending: PendingTransaction): Promise<void> {
    if (!this.#watched.has(pending)) return;
    const network = this.#chain.offer.network.name;
    for (const { hash } of pending.variants) {
      const calls = await this.#record.recordPreconfirmationLost(network, hash);
      if (calls > 0)
        this.#app.log.error(
          { network, transaction: hash, calls },
          'a pre-confirmed settlement is not in the chain; payments wait for their blocks from now on',
        );
    }
    this.end(pending);
  }

  /** Forgets a transaction: from now on its block decides about its charges. */
  end(pending: PendingTransaction): void {
    this.#watched.delete(pending);
    for (const { paidCallId } of pending.charges) this.forget(paidCallId);
  }

  /** Forgets a charge whose outcome nobody waits for. */
  forget(paidCallId: string): void {
    this.#earlier.delete(paidCallId);
  }

  #watch(pending: PendingTransaction, answered: readonly string[]): void {
    this.#watched.set(pending, {
      since: this.#app.clock.monotonic(),
      seenBlock: null,
      answered: new Set(answered),
    });
  }

  #earlierOf(paidCallId: string): Earlier {
    const known = this.#earlier.get(paidCallId);
    if (known) return known;
    let resolve: Earlier['resolve'] = () => undefined;
    const outcome = new Promise<Outcome>((keep) => {
      resolve = keep;
    });
    const earlier = { outcome, resolve };
    this.#earlier.set(paidCallId, earlier);
    return earlier;
  }
}
