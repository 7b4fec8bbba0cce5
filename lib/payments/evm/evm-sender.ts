import type { GasBudget } from '@/lib/payments/gas-budget';
import { LeaseLost, type SettlementJournal } from '@/lib/payments/journal';
import type { Outcome } from '@/lib/payments/outcome';
import type { ContractCall, SettlementLoad, SettlementWork } from '@/lib/payments/settlers';
import { FairLimit, type Place } from '@/lib/platform/concurrency/fair-limit';
import { GroupCommit } from '@/lib/platform/concurrency/group-commit';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { describeError } from '@/lib/platform/log';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { EvmChain } from './evm-chain';
import { type Fees, groupSizeMax, transferGas } from './evm-gas';
import { findOverdrawn } from './evm-overdraft';
import { FailedCharges } from './failed-charges';
import { PayersWithCode } from './payers-with-code';
import type { PaymentSimulator } from './payment-simulator';
import { PendingTransactions } from './pending-transactions';
import { QueuedCharges } from './queued-charges';
import { refuseUnsent } from './refuse-unsent';
import {
  type EvmCharge,
  type EvmSigner,
  isSentAlone,
  type SignedSettlement,
  signCall,
  signSettlement,
  toEvmCharge,
  toPrepared,
} from './settlement-transaction';
import { type HeldLease, SignerLease } from './signer-lease';
import { insufficientBalance } from './usdc-token';

/** How a batch of charges is sent. */
interface BatchOptions {
  /** Gas limit of each transfer. */
  readonly cap: bigint;
  /** When it gets the nonce lock. */
  readonly place: Place;
}

/** Charges of payers without code go before those that wait for a simulation of their own, and before calls of ours. */
const urgent = { rank: 0 };
const usual = { rank: 1 };

const withoutCode: BatchOptions = { cap: transferGas.withoutCode, place: urgent };
const withCode: BatchOptions = { cap: transferGas.withCode, place: usual };

/**
 * Charges payments on one network with the key that this process leases. Payments that arrive while a transaction is being
 * prepared share the next one. Transactions follow each other in nonce order without waiting for blocks. A payer with code
 * gets its own transaction, and does not delay others. Each transaction is recorded before it is broadcast, and then only the
 * chain decides its outcome. Without a key, or while another process has it, charges are queued for the process that has one.
 */
export class EvmSender {
  readonly #app: ChainPlatform;
  readonly #chain: EvmChain;
  readonly #simulator: PaymentSimulator;
  readonly #journal: SettlementJournal;
  readonly #lease: SignerLease;
  readonly #pending: PendingTransactions;
  readonly #queued: QueuedCharges;
  readonly #groups: GroupCommit<EvmCharge, { outcome: Promise<Outcome> }>;
  readonly #again: GroupCommit<EvmCharge, { outcome: Promise<Outcome> }>;
  readonly #payersWithCode: PayersWithCode;
  /** Held from choosing a nonce until its transaction is recorded. */
  readonly #nonceLock = new FairLimit({ size: 1 });
  /** The outcomes of the charges that this process is working on. */
  readonly #underWay = new Map<string, Promise<Outcome>>();
  #usedAt: number;
  /** How long the last transaction took from being sent until its outcome was known. */
  #confirmedInMs = 0;

  constructor(
    app: ChainPlatform,
    chain: EvmChain,
    simulator: PaymentSimulator,
    signers: readonly EvmSigner[],
    journal: SettlementJournal,
    budget: GasBudget,
  ) {
    this.#app = app;
    this.#usedAt = app.clock.monotonic();
    this.#chain = chain;
    this.#simulator = simulator;
    this.#journal = journal;
    const failed = new FailedCharges(this.#app, chain, simulator, journal, budget, (charge) =>
      this.#route(charge),
    );
    this.#pending = new PendingTransactions(this.#app, chain, journal.outbox, failed);
    this.#lease = new SignerLease(this.#app, chain, signers, journal, this.#pending);
    this.#queued = new QueuedCharges(this.#app, chain.offer.network.name, journal.queue);
    this.#payersWithCode = new PayersWithCode(this.#app, chain, simulator, journal.outbox, budget);
    // One group at a time is prepared and sent. The next may pause while others wait for a block, but does not wait for this
    // group's block.
    this.#groups = new GroupCommit((charges) => this.#sendGroup(charges), {
      sizeMax: groupSizeMax(chain.offer.network),
      inFlightMax: 1,
      pause: () => this.#pause(),
    });
    this.#again = new GroupCommit((charges) => this.#send(charges, withoutCode), {
      sizeMax: 1,
      inFlightMax: 1,
    });
  }

  get load(): SettlementLoad {
    return { waiting: this.#groups.waiting + this.#again.waiting, pending: this.#pending.count };
  }

  /** Charges, or joins the charge that is already under way for this call. */
  async charge(charge: EvmCharge): Promise<Outcome> {
    const { paidCallId } = charge;
    const underWay = this.#underWay.get(paidCallId) ?? this.#pending.outcomeOf(paidCallId);
    if (underWay) return this.#inTime(underWay);
    const outcome = this.#route(charge).finally(() => this.#underWay.delete(paidCallId));
    this.#underWay.set(paidCallId, outcome);
    return this.#inTime(outcome);
  }

  /** The outcome, or `unknown` if it is not known within the time limit. */
  #inTime(outcome: Promise<Outcome>): Promise<Outcome> {
    const { clock, timings } = this.#app;
    return inTime(clock, outcome, timings.evm.answerWithinMs, { kind: 'unknown', transactionHash: null });
  }

  /** Payers with code have their own queue, and charges that failed in a group are sent alone. */
  async #route(charge: EvmCharge): Promise<Outcome> {
    const code =
      charge.code === undefined
        ? await this.#simulator.codeOf(charge.payment).catch(() => undefined)
        : charge.code;
    const known = { ...charge, code };
    if (isSentAlone(known)) return this.#chargeAlone(known);
    const queue = charge.failures ? this.#again : this.#groups;
    return (await queue.add(known)).outcome;
  }

  #chargeAlone(charge: EvmCharge): Promise<Outcome> {
    return this.#payersWithCode.charge(charge, {
      ahead: () => this.#pending.charges(),
      from: () => this.#lease.held?.signer.address ?? null,
      send: async () => {
        const [sent] = await this.#send([charge], withCode);
        return sent ? sent.outcome : { kind: 'unknown', transactionHash: null };
      },
    });
  }

  /**
   * Whether a live process follows a transaction with this call's payment, so that the charge can only wait for it. If this
   * process has forgotten its lease, it takes the lease again first, with its open transactions. False if this process
   * follows the transaction itself, because the charge then joins it.
   */
  async isFollowed(charge: EvmCharge): Promise<boolean> {
    await this.#leased().catch(() => null);
    if (this.#underWay.has(charge.paidCallId) || this.#pending.outcomeOf(charge.paidCallId)) return false;
    return this.#journal.outbox.isFollowed(charge);
  }

  /** Renews the lease, adopts abandoned transactions, and settles queued charges. */
  async maintain(work: SettlementWork): Promise<void> {
    const { held, hasKeys } = this.#lease;
    // An error made this process forget its lease. To the others it still seems to follow its open transactions.
    const hasForgotten = work.hasOpen && work.leased.length > 0;
    if (held) {
      if (work.hasOpen || !work.leased.includes(held.signer.address)) await this.#lease.refresh();
    } else if (hasKeys && (work.hasQueued || work.hasLeftBehind || hasForgotten))
      await this.#leased(work.leased);
    if (!this.#lease.held) return;
    if (work.hasLeftBehind) await this.#lease.followOthers();
    await this.#lease.endFollowed();
    if (work.hasQueued) await this.settleQueued();
    await this.#fillGap(this.#lease.held);
    const isBusy = work.hasQueued || this.#pending.count > 0 || this.#underWay.size > 0;
    const isIdle = !isBusy && this.#app.clock.monotonic() - this.#usedAt > this.#app.timings.evm.idleMs;
    if (isIdle && this.#journal.leases.hasPeers()) await this.#lease.release();
  }

  /** Settles the charges that other processes have queued, if this one has the key. */
  async settleQueued(): Promise<void> {
    if (!this.#lease.held) return;
    const charges = await this.#journal.queue.dequeue(this.#chain.offer.network.name);
    if (charges.length > 0) this.#usedAt = this.#app.clock.monotonic();
    for (const charge of charges) void this.#settleForOther(toEvmCharge(charge));
  }

  /**
   * The process that queued the charge reads its outcome from the ledger. That may be this process, from before it had the
   * key.
   */
  async #settleForOther(charge: EvmCharge): Promise<void> {
    const outcome = await (this.#pending.outcomeOf(charge.paidCallId) ?? this.#route(charge));
    // A failure to record it has been logged, and the charge is settled when its process asks again.
    if (outcome.kind === 'settled') await outcome.recorded?.catch(() => undefined);
    this.#app.siblings?.tellSettled(this.#chain.offer.network.name);
  }

  /** Uses several transactions if the chain's multicall contract accepts fewer payments than are waiting. */
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

  async #send(
    charges: readonly EvmCharge[],
    options: BatchOptions,
  ): Promise<{ outcome: Promise<Outcome> }[]> {
    this.#usedAt = this.#app.clock.monotonic();
    try {
      const held = await this.#leased();
      if (held) return await this.#sendOnce(held, charges, options);
    } catch (error) {
      // It was not broadcast, but may have been recorded. Recovery decides, not this request.
      this.#lease.forget();
      this.#app.log.error(
        { network: this.#chain.offer.network.name, error: describeError(error) },
        'a settlement was not prepared',
      );
      return charges.map(() => ({ outcome: Promise.resolve({ kind: 'unknown', transactionHash: null }) }));
    }
    return charges.map((charge) => ({ outcome: this.#queued.add(charge) }));
  }

  /**
   * The leased signer. Leases one if this process has none, one attempt at a time, because leasing reads the nonces again.
   * @param preferred signers that the ledger lists as leased to this process
   */
  async #leased(preferred: readonly string[] = []): Promise<HeldLease | null> {
    const take = async () => this.#lease.held ?? this.#lease.take(preferred);
    return this.#lease.held ?? this.#nonceLock.run(take, urgent);
  }

  /** Taking the lease may have adopted a transaction with one of the charges, which is then not sent again. */
  async #sendOnce(
    held: HeldLease,
    charges: readonly EvmCharge[],
    options: BatchOptions,
  ): Promise<{ outcome: Promise<Outcome> }[]> {
    // The outcome of a failed charge is still listed under the transaction in which it failed.
    const underWay = charges.map(({ paidCallId, failures }) =>
      failures ? null : this.#pending.outcomeOf(paidCallId),
    );
    const fresh = charges.filter((_, index) => underWay[index] === null);
    // A payer with code was simulated together with its pending charges a moment ago.
    const overdrawn =
      options === withCode ? [] : await findOverdrawn(this.#simulator, this.#pending.charges(), fresh);
    // The other charges do not wait for these look-ups.
    const refused = new Map(overdrawn.map((charge) => [charge, this.#refuseOverdrawn(charge)]));
    const affordable = fresh.filter((charge) => !refused.has(charge));
    const isLeaseLost = !(await this.#sendAffordable(held, affordable, options));
    return charges.map((charge, index) => {
      const refusal = refused.get(charge);
      // The process that has the key sends the others, but must not send a charge that is being refused.
      if (refusal) return { outcome: refusal };
      if (isLeaseLost) return { outcome: this.#queued.add(charge) };
      const outcome = underWay[index] ?? this.#pending.outcomeOf(charge.paidCallId);
      if (!outcome) throw new Error('a charge was neither sent nor under way');
      return { outcome };
    });
  }

  /** @returns false when another process has the key */
  async #sendAffordable(
    held: HeldLease,
    charges: readonly EvmCharge[],
    options: BatchOptions,
  ): Promise<boolean> {
    if (charges.length === 0) return true;
    try {
      await this.#nonceLock.run(() => this.#sendWith(held, charges, options), options.place);
      return true;
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      this.#lease.forget();
      return false;
    }
  }

  /** Nothing was sent here. If the chain cannot be asked about earlier transactions, recovery decides. */
  #refuseOverdrawn(charge: EvmCharge): Promise<Outcome> {
    return refuseUnsent(this.#app, this.#chain, this.#journal.outbox, charge, insufficientBalance).catch(
      (error: unknown) => {
        const { network } = this.#chain.offer;
        const details = { network: network.name, paidCallId: charge.paidCallId, error: describeError(error) };
        this.#app.log.warn(details, 'a payment that its payer cannot afford could not be looked up');
        return { kind: 'unknown', transactionHash: null };
      },
    );
  }

  async #sendWith(held: HeldLease, charges: readonly EvmCharge[], { cap }: BatchOptions): Promise<void> {
    const sentAt = this.#app.clock.monotonic();
    await this.#submitNext(held, charges, (nonce, fees) =>
      signSettlement(this.#chain, held.signer, nonce, charges, { fees, cap }),
    );
    const [first] = charges;
    const outcome = first && this.#pending.outcomeOf(first.paidCallId);
    void outcome?.then(() => {
      this.#confirmedInMs = this.#app.clock.monotonic() - sentAt;
    });
  }

  /** Records the next transaction of the signer, and broadcasts it. */
  async #submitNext(
    held: HeldLease,
    charges: readonly EvmCharge[],
    sign: (nonce: number, fees: Fees) => SignedSettlement | Promise<SignedSettlement>,
  ): Promise<void> {
    // The lease was reset in the meantime, because the nonce may be wrong.
    if (this.#lease.held !== held) throw new LeaseLost(held.signer.address);
    const { signer } = held;
    const fees = await this.#chain.fees();
    const nonce = this.#lease.nextNonce(held);
    const signed = await sign(nonce, fees);
    await this.#journal.outbox.recordPrepared(
      toPrepared(this.#chain, signer.address, nonce, charges, signed),
    );
    this.#lease.allocated(held, nonce);
    this.#pending.submit({ signer, nonce, charges, variants: [signed] });
  }

  /** Whether this process has the key. Leases it if nobody does. */
  async canSubmit(): Promise<boolean> {
    return (await this.#leased()) !== null;
  }

  /**
   * Sends a transaction of the operator's own, which charges no payment. It is followed and replaced like the others.
   * @returns false when another process has the key, or nothing was recorded
   */
  async submit(call: ContractCall): Promise<boolean> {
    this.#usedAt = this.#app.clock.monotonic();
    const held = await this.#leased();
    if (!held) return false;
    try {
      await this.#nonceLock.run(
        () =>
          this.#submitNext(held, [], (nonce, fees) => signCall(this.#chain, held.signer, nonce, call, fees)),
        usual,
      );
      return true;
    } catch (error) {
      this.#lease.forget();
      if (error instanceof LeaseLost) return false;
      throw error;
    }
  }

  /**
   * While several transactions wait for a block, the next payment is mined no sooner alone than together with those that
   * follow it. Each transaction that is saved also saves gas, queries and polling.
   */
  #pause(): Promise<void> {
    const { clock, timings } = this.#app;
    if (this.#pending.count < 2) return Promise.resolve();
    return clock.sleep(Math.min(timings.evm.groupPauseMaxMs, this.#confirmedInMs / 10));
  }

  /**
   * A nonce without a transaction blocks all later ones, so an empty transaction uses it up. If the chain has lost a
   * transaction of ours with that nonce, that one is sent again instead, because an empty one would take its place for good.
   */
  async #fillGap(held: HeldLease): Promise<void> {
    const nonce = await this.#lease.findGap(held);
    if (nonce === null || (await this.#lease.sendAgain(held, nonce))) return;
    const { signer } = held;
    const network = this.#chain.offer.network.name;
    const fees = await this.#chain.fees();
    const signed = await signSettlement(this.#chain, signer, nonce, [], { fees, cap: 0n });
    await this.#journal.outbox.recordPrepared(toPrepared(this.#chain, signer.address, nonce, [], signed));
    this.#app.log.warn({ network, nonce }, 'a nonce gap was filled');
    this.#pending.submit({ signer, nonce, charges: [], variants: [signed] });
  }
}
