import { GroupCommit } from '@/lib/concurrency/group-commit';
import { LeaseLost, type Outcome, type SettlementJournal } from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { insufficientBalance } from './calls';
import type { EvmChain } from './chain';
import { FailedCharges } from './failed-charges';
import type { GasBudget } from './gas-budget';
import { groupSizeMax, transferGas } from './gas-limits';
import { HandedOverCharges } from './hand-over';
import { findOverdrawn } from './overdraft';
import { type ChargeWithCode, PayersWithCode } from './payers-with-code';
import { PendingTransactions } from './pending-transactions';
import { type EvmCharge, signSettlement, toEvmCharge, toPrepared } from './settlement-transaction';
import type { EvmSigner } from './signer';
import { type Held, SignerLease } from './signer-lease';
import { UrgentLock } from './urgent-lock';

/** How charges travel together. */
interface Shipment {
  /** Gas limit of each transfer. */
  readonly cap: bigint;
  /** Whether others may be kept waiting for it: nobody waits for payers with code. */
  readonly isUrgent: boolean;
}

const withoutCode: Shipment = { cap: transferGas.withoutCode, isUrgent: true };
const withCode: Shipment = { cap: transferGas.withCode, isUrgent: false };

/**
 * Charges payments on one network with the one key that this process has leased for it. Payments that arrive while a
 * transaction is being prepared go out together in the next; transactions follow each other in nonce order without
 * waiting for blocks. A payer with code shares no transaction and keeps nobody waiting. Nothing leaves before the journal
 * holds it, signed; after that only the chain decides what came of it. Without a key, or while another process has it,
 * charges are handed over to whoever has one.
 */
export class EvmSender {
  readonly #app: Platform;
  readonly #chain: EvmChain;
  readonly #journal: SettlementJournal;
  readonly #lease: SignerLease;
  readonly #pending: PendingTransactions;
  readonly #handedOver: HandedOverCharges;
  readonly #groups: GroupCommit<EvmCharge, { outcome: Promise<Outcome> }>;
  readonly #again: GroupCommit<EvmCharge, { outcome: Promise<Outcome> }>;
  readonly #payersWithCode: PayersWithCode;
  /** Held from the choice of a nonce until its transaction is written down. */
  readonly #nonceLock = new UrgentLock();
  /** What becomes of the charges that this process was asked for, until it is known. */
  readonly #underWay = new Map<string, Promise<Outcome>>();
  #usedAt: number;

  constructor(
    app: Platform,
    chain: EvmChain,
    signers: readonly EvmSigner[],
    journal: SettlementJournal,
    budget: GasBudget,
  ) {
    this.#app = app;
    this.#usedAt = app.clock.now();
    this.#chain = chain;
    this.#journal = journal;
    const failed = new FailedCharges(this.#app, chain, journal, budget, (charge) => this.#route(charge));
    this.#pending = new PendingTransactions(this.#app, chain, journal, failed);
    this.#lease = new SignerLease(this.#app, chain, signers, journal, this.#pending);
    this.#handedOver = new HandedOverCharges(this.#app, journal);
    this.#payersWithCode = new PayersWithCode(this.#app, chain, journal, budget);
    // One group at a time prepares and sends; waiting for its block is not part of the group's run.
    this.#groups = new GroupCommit((charges) => this.#sendGroup(charges), {
      sizeMax: groupSizeMax(chain.offer.network),
      inFlightMax: 1,
    });
    this.#again = new GroupCommit((charges) => this.#send(charges, withoutCode), {
      sizeMax: 1,
      inFlightMax: 1,
    });
  }

  /** Charges, or joins what is under way for the charge already. */
  async charge(charge: EvmCharge): Promise<Outcome> {
    const { paidCallId } = charge;
    const underWay = this.#underWay.get(paidCallId) ?? this.#pending.outcomeOf(paidCallId);
    if (underWay) return inTime(underWay, this.#app.timings.evm.answerWithinMs);
    const outcome = this.#route(charge).finally(() => this.#underWay.delete(paidCallId));
    this.#underWay.set(paidCallId, outcome);
    return inTime(outcome, this.#app.timings.evm.answerWithinMs);
  }

  /** Payers with code have a queue of their own; what failed in a group before goes out alone. */
  async #route(charge: EvmCharge): Promise<Outcome> {
    // A group bears a member whose code is not known: each has a gas limit of its own.
    const code =
      charge.code === undefined ? await this.#chain.codeOf(charge.payment).catch(() => null) : charge.code;
    if (code) return this.#chargeAlone({ ...charge, code });
    const queue = charge.failures ? this.#again : this.#groups;
    return (await queue.add({ ...charge, code })).outcome;
  }

  #chargeAlone(charge: ChargeWithCode): Promise<Outcome> {
    return this.#payersWithCode.charge(charge, {
      ahead: () => this.#pending.charges(),
      from: () => this.#lease.held?.signer.address ?? null,
      send: async () => {
        const [sent] = await this.#send([charge], withCode);
        return sent ? sent.outcome : { kind: 'unknown', transactionHash: null };
      },
    });
  }

  /** Keeps the lease, takes up open transactions that nobody follows, and charges that others handed over. */
  async tend(now: Date): Promise<void> {
    const network = this.#chain.offer.network.name;
    if (this.#lease.held) await this.#lease.refresh();
    else if (this.#lease.hasKeys && (await this.#journal.hasWork(network, now))) await this.#leased();
    if (!this.#lease.held) return;
    const charges = await this.#journal.takeHandedOver(network);
    // Whoever handed them over reads their outcomes in the ledger; that may be this process, before it had the key.
    for (const charge of charges) {
      if (!this.#pending.outcomeOf(charge.paidCallId)) void this.#route(toEvmCharge(charge));
    }
    await this.#fillGap(this.#lease.held);
    const isBusy = charges.length > 0 || this.#pending.count > 0 || this.#underWay.size > 0;
    const isIdle = !isBusy && this.#app.clock.now() - this.#usedAt > this.#app.timings.evm.idleMs;
    if (isIdle && this.#journal.hasPeers()) await this.#lease.giveBack();
  }

  /** Several transactions where the chain's multicall contract bears fewer payments than were waiting. */
  async #sendGroup(charges: readonly EvmCharge[]): Promise<{ outcome: Promise<Outcome> }[]> {
    const sizeMax = await this.#chain.batcher().then(
      (batcher) => batcher.sizeMax,
      () => charges.length,
    );
    const outcomes: { outcome: Promise<Outcome> }[] = [];
    for (let start = 0; start < charges.length; start += sizeMax) {
      outcomes.push(...(await this.#send(charges.slice(start, start + sizeMax), withoutCode)));
    }
    return outcomes;
  }

  async #send(charges: readonly EvmCharge[], shipment: Shipment): Promise<{ outcome: Promise<Outcome> }[]> {
    this.#usedAt = this.#app.clock.now();
    try {
      const held = await this.#leased();
      if (held) return await this.#sendOnce(held, charges, shipment);
    } catch (error) {
      if (!(error instanceof LeaseLost)) {
        // Not broadcast by us now; but whether the journal took it is open, so recovery decides, not this request.
        this.#lease.forget();
        this.#app.log.error(
          { network: this.#chain.offer.network.name, error: describeError(error) },
          'a settlement was not prepared',
        );
        return charges.map(() => ({ outcome: Promise.resolve({ kind: 'unknown', transactionHash: null }) }));
      }
      this.#lease.forget();
    }
    return charges.map((charge) => ({ outcome: this.#handedOver.add(charge) }));
  }

  /** The signer, taken when this process has none; one at a time, because taking it counts its nonces anew. */
  async #leased(): Promise<Held | null> {
    return this.#lease.held ?? this.#nonceLock.run(true, async () => this.#lease.held ?? this.#lease.take());
  }

  /** Taking the lease may have taken up a transaction that carries one of the charges: that one is not sent again. */
  async #sendOnce(
    held: Held,
    charges: readonly EvmCharge[],
    shipment: Shipment,
  ): Promise<{ outcome: Promise<Outcome> }[]> {
    // What failed before is still told as the outcome of the transaction that it failed in.
    const underWay = charges.map(({ paidCallId, failures }) =>
      failures ? null : this.#pending.outcomeOf(paidCallId),
    );
    const fresh = charges.filter((_, index) => underWay[index] === null);
    // A payer with code was simulated with what is under way from it a moment ago.
    const overdrawn = shipment === withCode ? [] : await this.#refuseUncovered(fresh);
    const covered = fresh.filter((charge) => !overdrawn.includes(charge));
    if (covered.length > 0) {
      await this.#nonceLock.run(shipment.isUrgent, () => this.#sendWith(held, covered, shipment));
    }
    const refused = Promise.resolve<Outcome>({ kind: 'refused', reason: insufficientBalance });
    return charges.map((charge, index) => {
      const isOverdrawn = overdrawn.includes(charge);
      const outcome = underWay[index] ?? (isOverdrawn ? refused : this.#pending.outcomeOf(charge.paidCallId));
      if (!outcome) throw new Error('a charge was neither sent nor under way');
      return { outcome };
    });
  }

  /** Written down here, because those who handed a charge over read its outcome in the ledger. */
  async #refuseUncovered(charges: readonly EvmCharge[]): Promise<readonly EvmCharge[]> {
    const overdrawn = await findOverdrawn(this.#chain, this.#pending.charges(), charges);
    for (const charge of overdrawn) {
      await this.#journal.foundOut(charge, { kind: 'refused', reason: insufficientBalance });
    }
    return overdrawn;
  }

  async #sendWith(held: Held, charges: readonly EvmCharge[], { cap }: Shipment): Promise<void> {
    // Somebody found out meanwhile that the nonces may be counted wrong.
    if (this.#lease.held !== held) throw new LeaseLost(held.signer.address);
    const { signer } = held;
    const fees = await this.#chain.fees();
    const nonce = this.#lease.nextNonce(held);
    const signed = await signSettlement(this.#chain, signer, nonce, charges, { fees, cap });
    await this.#journal.prepared(toPrepared(this.#chain, signer.address, nonce, charges, signed));
    this.#lease.allocated(held, nonce);
    this.#pending.submit({ signer, nonce, charges, variants: [signed] });
  }

  /** A nonce that no transaction has keeps all later ones waiting: an empty transaction uses it up. */
  async #fillGap(held: Held): Promise<void> {
    const nonce = await this.#lease.findGap(held);
    if (nonce === null) return;
    const fees = await this.#chain.fees();
    const signed = await signSettlement(this.#chain, held.signer, nonce, [], { fees, cap: 0n });
    await this.#journal.prepared(toPrepared(this.#chain, held.signer.address, nonce, [], signed));
    this.#app.log.warn(
      { network: this.#chain.offer.network.name, nonce },
      'a gap before other settlements was filled',
    );
    this.#pending.submit({ signer: held.signer, nonce, charges: [], variants: [signed] });
  }
}

/** What is known by the time that a caller has to be answered. */
async function inTime(outcome: Promise<Outcome>, limitMs: number): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    timer = setTimeout(resolve, limitMs, { kind: 'unknown', transactionHash: null });
  });
  try {
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}
