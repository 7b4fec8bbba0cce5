import { GroupCommit } from '@/lib/group-commit';
import { describeError, log } from '@/lib/log';
import { LeaseLost, type Outcome, type SettlementJournal } from '@/lib/payments/payment';
import { insufficientBalance } from './calls';
import type { EvmChain } from './chain';
import { findUncovered } from './cover';
import { EvmFlights } from './flights';
import { HandedOverCharges } from './hand-over';
import { type EvmCharge, signSettlement, toEvmCharge, toPrepared } from './settlement-transaction';
import type { EvmSigner } from './signer';
import { type Held, SignerLease } from './signer-lease';

/** Payments in one transaction: 100 take some 7 million gas, well under the block limit of every network. */
const paymentsPerTransactionMax = 100;
/** A caller waits this long for a block; later the outcome is reported as unknown and followed on. */
const answerWithinMs = 20_000;
/** A signer that nobody here needed for so long is given back when other processes could use it. */
const idleMs = 30_000;

/**
 * Charges payments on one network with the one key that this process has leased for it. Payments that arrive while a
 * transaction is being prepared go out together in the next; transactions follow each other in nonce order without
 * waiting for blocks. Nothing leaves before the journal holds it, signed; after that only the chain decides what came of
 * it. Without a key, or while another process has it, charges are handed over to whoever has one.
 */
export class EvmSender {
  readonly #chain: EvmChain;
  readonly #journal: SettlementJournal;
  readonly #lease: SignerLease;
  readonly #flights: EvmFlights;
  readonly #handedOver: HandedOverCharges;
  readonly #groups: GroupCommit<EvmCharge, { outcome: Promise<Outcome> }>;
  #usedAt = Date.now();

  constructor(chain: EvmChain, signers: readonly EvmSigner[], journal: SettlementJournal) {
    this.#chain = chain;
    this.#journal = journal;
    this.#flights = new EvmFlights(chain, journal);
    this.#lease = new SignerLease(chain, signers, journal, this.#flights);
    this.#handedOver = new HandedOverCharges(journal);
    // One group at a time prepares and sends; waiting for its block is not part of the group's run.
    this.#groups = new GroupCommit((charges) => this.#send(charges), {
      sizeMax: paymentsPerTransactionMax,
      inFlightMax: 1,
    });
  }

  /** Charges, or joins the transaction that already carries the charge. */
  async charge(charge: EvmCharge): Promise<Outcome> {
    const underWay = this.#flights.outcomeOf(charge.paidCallId);
    if (underWay) return inTime(underWay);
    const { outcome } = await this.#groups.add(charge);
    return inTime(outcome);
  }

  /** Keeps the lease, takes up open transactions that nobody follows, and charges that others handed over. */
  async tend(now: Date): Promise<void> {
    const network = this.#chain.offer.network.name;
    if (this.#lease.held) await this.#lease.refresh();
    else if (this.#lease.hasKeys && (await this.#journal.hasWork(network, now))) await this.#lease.take();
    if (!this.#lease.held) return;
    const charges = await this.#journal.takeHandedOver(network);
    // Whoever handed them over reads their outcomes in the ledger.
    for (const charge of charges) void this.charge(toEvmCharge(charge));
    await this.#fillGap(this.#lease.held);
    const isIdle = charges.length === 0 && this.#flights.count === 0 && Date.now() - this.#usedAt > idleMs;
    if (isIdle && this.#journal.hasPeers()) await this.#lease.giveBack();
  }

  async #send(charges: readonly EvmCharge[]): Promise<{ outcome: Promise<Outcome> }[]> {
    this.#usedAt = Date.now();
    try {
      const held = this.#lease.held ?? (await this.#lease.take());
      if (held) return await this.#sendOnce(held, charges);
    } catch (error) {
      if (!(error instanceof LeaseLost)) {
        // Not broadcast by us now; but whether the journal took it is open, so recovery decides, not this request.
        this.#lease.forget();
        log().error(
          { network: this.#chain.offer.network.name, error: describeError(error) },
          'a settlement was not prepared',
        );
        return charges.map(() => ({ outcome: Promise.resolve({ kind: 'unknown', transactionHash: null }) }));
      }
      this.#lease.forget();
    }
    return charges.map((charge) => ({ outcome: this.#handedOver.add(charge) }));
  }

  /** Taking the lease may have taken up a transaction that carries one of the charges: that one is not sent again. */
  async #sendOnce(held: Held, charges: readonly EvmCharge[]): Promise<{ outcome: Promise<Outcome> }[]> {
    const underWay = charges.map(({ paidCallId }) => this.#flights.outcomeOf(paidCallId));
    const fresh = charges.filter((_, index) => underWay[index] === null);
    const uncovered = await this.#refuseUncovered(fresh);
    const covered = fresh.filter((charge) => !uncovered.includes(charge));
    const sent =
      covered.length > 0 ? await this.#sendWith(held, covered) : new Map<string, Promise<Outcome>>();
    const refused = Promise.resolve<Outcome>({ kind: 'refused', reason: insufficientBalance });
    return charges.map((charge, index) => {
      const outcome = underWay[index] ?? (uncovered.includes(charge) ? refused : sent.get(charge.paidCallId));
      if (!outcome) throw new Error('a charge was neither sent nor under way');
      return { outcome };
    });
  }

  /** Written down here, because those who handed a charge over read its outcome in the ledger. */
  async #refuseUncovered(charges: readonly EvmCharge[]): Promise<readonly EvmCharge[]> {
    const uncovered = await findUncovered(this.#chain, this.#flights.charges(), charges);
    for (const charge of uncovered) {
      await this.#journal.foundOut(charge, { kind: 'refused', reason: insufficientBalance });
    }
    return uncovered;
  }

  /** @returns what becomes of each charge, by the id of its paid call */
  async #sendWith(held: Held, charges: readonly EvmCharge[]): Promise<Map<string, Promise<Outcome>>> {
    const { signer } = held;
    const fees = await this.#chain.fees();
    const nonce = this.#lease.nextNonce(held);
    const signed = signSettlement(this.#chain, signer, nonce, charges, fees);
    await this.#journal.prepared(toPrepared(this.#chain, signer.address, nonce, charges, signed));
    this.#lease.allocated(held, nonce);
    const outcomes = this.#flights.launch({ signer, nonce, charges, variants: [signed] });
    const unknown: Outcome = { kind: 'unknown', transactionHash: signed.hash };
    return new Map(
      charges.map(({ paidCallId }) => [
        paidCallId,
        outcomes.then((known) => known.get(paidCallId) ?? unknown),
      ]),
    );
  }

  /** A nonce that no transaction has keeps all later ones waiting: an empty transaction uses it up. */
  async #fillGap(held: Held): Promise<void> {
    const nonce = await this.#lease.findGap(held);
    if (nonce === null) return;
    const signed = signSettlement(this.#chain, held.signer, nonce, [], await this.#chain.fees());
    await this.#journal.prepared(toPrepared(this.#chain, held.signer.address, nonce, [], signed));
    log().warn(
      { network: this.#chain.offer.network.name, nonce },
      'a gap before other settlements was filled',
    );
    void this.#flights.launch({ signer: held.signer, nonce, charges: [], variants: [signed] });
  }
}

/** What is known by the time that a caller has to be answered. */
async function inTime(outcome: Promise<Outcome>): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    timer = setTimeout(resolve, answerWithinMs, { kind: 'unknown', transactionHash: null });
  });
  try {
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}
