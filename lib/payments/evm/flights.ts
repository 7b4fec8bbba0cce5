import type { TransactionReceipt } from 'viem';
import { describeError, log } from '@/lib/log';
import type { Outcome, SettlementJournal } from '@/lib/payments/payment';
import type { EvmChain } from './chain';
import { raisedFees } from './fees';
import { findOutEvm, isUnusedEvm } from './find-out';
import { carriesPayment } from './receipts';
import { type EvmCharge, type SignedSettlement, signSettlement, toPrepared } from './settlement-transaction';
import type { EvmSigner } from './signer';

/** One nonce on its way into a block, with the transactions that want to use it: the first, and its replacements. */
export interface Flight {
  readonly signer: EvmSigner;
  readonly nonce: number;
  readonly charges: readonly EvmCharge[];
  readonly variants: SignedSettlement[];
}

type Outcomes = ReadonlyMap<string, Outcome>;

const pollMs = { first: 20, max: 500 };
/** How often a flight is looked after: sent again, replaced, or found to be overtaken. */
const attendMs = 3_000;
/** A transaction that is next in line and not in a block by then pays too little, if the fees have risen. */
const replaceWhenOutbidMs = 6_000;
/** And by then in any case: the node may have lost it. */
const replaceAlwaysMs = 45_000;
/** A used nonce without a receipt is looked at so many times before the flight is given up: nodes lag behind each other. */
const usedWithoutReceiptMax = 4;

/** What is under way from one process on one network. Only the chain ends a flight. */
export class EvmFlights {
  readonly #chain: EvmChain;
  readonly #journal: SettlementJournal;
  readonly #flights = new Set<Flight>();
  readonly #outcomes = new Map<string, Promise<Outcomes>>();

  constructor(chain: EvmChain, journal: SettlementJournal) {
    this.#chain = chain;
    this.#journal = journal;
  }

  get count(): number {
    return this.#flights.size;
  }

  /** Every charge that is followed, oldest transaction first. */
  charges(): EvmCharge[] {
    return [...this.#flights].flatMap(({ charges }) => charges);
  }

  /** Hashes of every transaction that is followed. */
  hashes(): string[] {
    return [...this.#flights].flatMap(({ variants }) => variants.map(({ hash }) => hash));
  }

  /** Whether a nonce of the signer is taken by a flight. */
  uses(signer: EvmSigner, nonce: number): boolean {
    return [...this.#flights].some((flight) => flight.signer === signer && flight.nonce === nonce);
  }

  /** The lowest nonce of the signer that is under way; null when none is. */
  lowest(signer: EvmSigner): number | null {
    const nonces = [...this.#flights].filter((flight) => flight.signer === signer).map(({ nonce }) => nonce);
    return nonces.length === 0 ? null : Math.min(...nonces);
  }

  /** What becomes of a call that is under way; null when it is not. */
  outcomeOf(paidCallId: string): Promise<Outcome> | null {
    const outcomes = this.#outcomes.get(paidCallId);
    return (
      outcomes?.then((known) => known.get(paidCallId) ?? { kind: 'unknown', transactionHash: null }) ?? null
    );
  }

  /** Broadcasts what the journal holds already, and follows it until a block has it. */
  launch(flight: Flight): Promise<Outcomes> {
    this.#flights.add(flight);
    const outcomes = this.#fly(flight).finally(() => {
      this.#flights.delete(flight);
      for (const { paidCallId } of flight.charges) this.#outcomes.delete(paidCallId);
    });
    for (const { paidCallId } of flight.charges) this.#outcomes.set(paidCallId, outcomes);
    return outcomes;
  }

  /** Follows transactions that somebody else launched, or adds them to the flight that has their nonce already. */
  takeUp(flight: Flight): void {
    const existing = [...this.#flights].find(
      ({ signer, nonce }) => signer === flight.signer && nonce === flight.nonce,
    );
    if (existing) {
      for (const variant of flight.variants) addVariant(existing, variant);
      return;
    }
    log().info(
      { ...this.#described(flight), payments: flight.charges.length },
      'an open settlement was taken up',
    );
    void this.launch(flight);
  }

  async #fly(flight: Flight): Promise<Outcomes> {
    try {
      await this.#broadcast(flight);
      const receipt = await this.#untilMined(flight);
      return receipt ? await this.#land(flight, receipt) : await this.#giveUp(flight);
    } catch (error) {
      // What was not written down is open in the ledger, and is taken up again from there.
      log().error(
        { ...this.#described(flight), error: describeError(error) },
        'a settlement was not recorded',
      );
      return new Map();
    }
  }

  /** Hands the newest variant to the node. Whatever the node answers, the transaction may be out from here on. */
  async #broadcast(flight: Flight): Promise<void> {
    const newest = flight.variants.at(-1);
    if (!newest) throw new Error('a flight has a transaction');
    try {
      await this.#chain.client.sendRawTransaction({ serializedTransaction: newest.raw });
    } catch (error) {
      log().warn(
        { ...this.#described(flight), error: describeError(error) },
        'a broadcast was not acknowledged; the chain will tell',
      );
    }
  }

  async #untilMined(flight: Flight): Promise<TransactionReceipt | null> {
    let since = { sentAt: Date.now(), usedWithoutReceipt: 0 };
    let attendAt = Date.now() + attendMs;
    let wait = pollMs.first;
    for (;;) {
      const receipt = await this.#receiptOf(flight);
      if (receipt) return receipt;
      if (since.usedWithoutReceipt >= usedWithoutReceiptMax) return null;
      if (Date.now() >= attendAt) {
        since = await this.#attend(flight, since);
        attendAt = Date.now() + attendMs;
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, pollMs.max);
    }
  }

  async #receiptOf(flight: Flight): Promise<TransactionReceipt | null> {
    for (const { hash } of flight.variants) {
      const receipt = await this.#chain.receipt(hash).catch(() => null);
      if (receipt) return receipt;
    }
    return null;
  }

  /** Sends again what a node may have lost, replaces what pays too little, notices what was overtaken. */
  async #attend(flight: Flight, since: { sentAt: number; usedWithoutReceipt: number }) {
    try {
      const used = await this.#chain.client.getTransactionCount({ address: flight.signer.address });
      if (used > flight.nonce) return { ...since, usedWithoutReceipt: since.usedWithoutReceipt + 1 };
      const isNext = used === flight.nonce;
      if (isNext && (await this.#replace(flight, Date.now() - since.sentAt))) {
        return { sentAt: Date.now(), usedWithoutReceipt: 0 };
      }
      await this.#broadcast(flight);
    } catch (error) {
      log().warn(
        { ...this.#described(flight), error: describeError(error) },
        'a settlement waits for its chain',
      );
    }
    return { ...since, usedWithoutReceipt: 0 };
  }

  /** The same nonce and calldata with higher fees, where that helps. Only the holder of the lease gets it written down. */
  async #replace(flight: Flight, waitedMs: number): Promise<boolean> {
    if (waitedMs < replaceWhenOutbidMs) return false;
    const offered = flight.variants.at(-1)?.fees;
    const current = await this.#chain.fees();
    if (!offered) return false;
    const { feePerGasMax } = this.#chain.offer.network;
    const fees = raisedFees(offered, current, feePerGasMax);
    const isOutbid = current.maxFeePerGas > offered.maxFeePerGas;
    if (!fees && current.maxFeePerGas >= feePerGasMax) {
      log().error(
        { ...this.#described(flight), feePerGasMax },
        'a settlement waits: gas costs more than the cap',
      );
    }
    if (!fees || (!isOutbid && waitedMs < replaceAlwaysMs)) return false;
    const { signer, nonce, charges } = flight;
    const replacement = signSettlement(this.#chain, signer, nonce, charges, fees);
    await this.#journal.prepared(toPrepared(this.#chain, signer.address, nonce, charges, replacement));
    addVariant(flight, replacement);
    log().warn({ ...this.#described(flight), ...fees }, 'a stuck settlement was replaced with higher fees');
    await this.#broadcast(flight);
    return true;
  }

  async #land(flight: Flight, receipt: TransactionReceipt): Promise<Outcomes> {
    const outcomes = await Promise.all(
      flight.charges.map(async (charge) => ({ charge, outcome: await this.#outcomeIn(charge, receipt) })),
    );
    const isOurs = (outcome: Outcome) =>
      outcome.kind !== 'settled' || outcome.transactionHash === receipt.transactionHash;
    await this.#journal.mined({
      network: this.#chain.offer.network.name,
      hash: receipt.transactionHash,
      block: { number: receipt.blockNumber, hash: receipt.blockHash },
      gasUsed: receipt.gasUsed,
      feeAtomic: receipt.gasUsed * receipt.effectiveGasPrice,
      outcomes: outcomes.filter(({ outcome }) => isOurs(outcome)),
    });
    for (const { charge, outcome } of outcomes) {
      if (!isOurs(outcome)) await this.#journal.foundOut(charge, outcome);
    }
    return new Map(outcomes.map(({ charge, outcome }) => [charge.paidCallId, outcome]));
  }

  /** Another transaction used the nonce: ours can never land, and each payment is looked up for itself. */
  async #giveUp(flight: Flight): Promise<Outcomes> {
    log().error(
      this.#described(flight),
      'the nonce of a settlement was used by a transaction that is not ours',
    );
    await this.#journal.dropped(
      this.#chain.offer.network.name,
      flight.variants.map(({ hash }) => hash),
    );
    return new Map();
  }

  /** A payment that its transaction did not carry was submitted by somebody else first, or cannot be charged. */
  async #outcomeIn(charge: EvmCharge, receipt: TransactionReceipt): Promise<Outcome> {
    const { transactionHash, blockNumber } = receipt;
    if (carriesPayment(receipt, charge.payment)) {
      return { kind: 'settled', transactionHash, block: { number: blockNumber, hash: receipt.blockHash } };
    }
    const verification = await this.#chain.verify(charge.payment).catch(() => null);
    // The token looks at windows and blocked accounts first, and says of what was used in time that it has expired.
    if (verification && !verification.ok && (await isUnusedEvm(this.#chain, charge.payment))) {
      return { kind: 'refused', reason: verification.reason };
    }
    const sinceHeight = blockNumber > 1_000n ? blockNumber - 1_000n : 0n;
    return findOutEvm(this.#chain, charge.payment, { sinceHeight, transactionHash: null });
  }

  #described({ nonce, variants }: Flight) {
    return { network: this.#chain.offer.network.name, nonce, transaction: variants.at(-1)?.hash };
  }
}

function addVariant({ variants }: Flight, variant: SignedSettlement): void {
  if (!variants.some(({ hash }) => hash === variant.hash)) variants.push(variant);
}
