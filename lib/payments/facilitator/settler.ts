import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { type Offer, usdcDomain } from '@/lib/payments/networks';
import type {
  Charge,
  FinalityStatus,
  Outcome,
  Payment,
  SettledTransaction,
  Settler,
  Trace,
  Verification,
} from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { RemoteFacilitator, type Word } from './remote';
import { type Witness, witnessOf } from './witness';

/**
 * Settles through a remote x402 facilitator (docs/decisions/facilitators.md). Its word says when to look; what became of
 * a payment the chain alone decides, through our own RPCs: «settled» does not deliver without the transfer, and «failed»
 * does not ask for another payment while the first may be on its way.
 */
export class FacilitatorSettler implements Settler {
  readonly #app: Platform;
  readonly recordsOutcome = false;
  readonly #offer: Offer;
  readonly #remote: RemoteFacilitator;
  readonly #witness: Witness;
  #feePayer: string | null = null;

  constructor(app: Platform, offer: Offer, url: string, token: string | null) {
    this.#app = app;
    this.#offer = offer;
    this.#remote = new RemoteFacilitator(this.#app, offer.network, url, token);
    this.#witness = witnessOf(this.#app, offer);
  }

  /** As the facilitator names it; null before the first check. */
  get feePayer(): string | null {
    return this.#feePayer;
  }

  async verify(payment: Payment): Promise<Verification> {
    const requirements = this.#requirements(payment);
    const [verification, refusal] = await Promise.all([
      this.#witness.verify(payment),
      this.#remote.refusal(payloadOf(payment, requirements), requirements),
    ]);
    return verification.ok && refusal !== null
      ? { ok: false, reason: refusal, height: verification.height }
      : verification;
  }

  async settle({ paidCallId, payment }: Charge): Promise<Outcome> {
    const unknown: Outcome = { kind: 'unknown', transactionHash: null };
    try {
      const sinceHeight = await this.#witness.height();
      const requirements = this.#requirements(payment);
      const word = this.#remote.settle(payloadOf(payment, requirements), requirements);
      const outcome = await this.#watch(payment, sinceHeight, word);
      return outcome ?? unknown;
    } catch (error) {
      const facts = { network: payment.network, paidCallId, error: describeError(error) };
      this.#app.log.warn(facts, 'what a facilitator did could not be seen');
      return unknown;
    }
  }

  /** @returns what the chain says; null when it has said nothing in time */
  async #watch(payment: Payment, sinceHeight: bigint, word: Promise<Word>): Promise<Outcome | null> {
    const startedAt = this.#app.clock.now();
    let deadline = startedAt + this.#app.timings.facilitator.answerWithinMs;
    let given: Word | null = null;
    for (
      let wait = this.#app.timings.facilitator.pollFirstMs;
      this.#app.clock.now() < deadline;
      wait = Math.min(wait * 2, this.#app.timings.facilitator.pollMaxMs)
    ) {
      if (!given) {
        given = await Promise.race([
          word,
          pause(
            Math.max(
              wait,
              this.#app.timings.facilitator.trustedSilenceMs - (this.#app.clock.now() - startedAt),
            ),
          ),
        ]);
        if (given) {
          deadline = Math.min(deadline, this.#app.clock.now() + this.#app.timings.facilitator.afterWordMs);
          wait = this.#app.timings.facilitator.pollFirstMs;
        }
      } else await pause(wait);
      const outcome = await this.#look(payment, sinceHeight, given);
      if (outcome) return outcome;
    }
    if (given?.kind === 'settled') {
      const facts = { network: payment.network, transaction: given.transactionHash };
      this.#app.log.error(facts, 'a facilitator says that it settled, and the chain does not show it');
    }
    return null;
  }

  async #look(payment: Payment, sinceHeight: bigint, word: Word | null): Promise<Outcome | null> {
    const named = word?.kind === 'settled' || word?.kind === 'pending' ? word.transactionHash : null;
    const found = await this.#witness.resolveOutcome(payment, { sinceHeight, transactionHash: named });
    if (found.kind !== 'unknown') return found;
    if (word?.kind !== 'refused') return null;
    // Nothing is on the chain, the facilitator says that it sent nothing, and nothing it could send would go through.
    const verification = await this.#witness.verify(payment).catch(() => null);
    if (!verification || verification.ok || isUse(verification.reason)) return null;
    return { kind: 'refused', reason: verification.reason };
  }

  resolveOutcome(payment: Payment, trace: Trace): Promise<Outcome> {
    return this.#witness.resolveOutcome(payment, trace);
  }

  checkFinality(transactions: readonly SettledTransaction[]): Promise<ReadonlyMap<string, FinalityStatus>> {
    return this.#witness.checkFinality(transactions);
  }

  /** What a facilitator sends is its own to look after. */
  async maintain(): Promise<void> {}

  async check(): Promise<string[]> {
    const support = await this.#remote.support();
    if (!support) return [`the facilitator does not settle ${this.#offer.network.caip2}`];
    this.#feePayer = support.feePayer;
    if (this.#offer.network.family === 'solana' && !this.#feePayer)
      return ['the facilitator names no fee payer'];
    return this.#witness.check();
  }

  #requirements(payment: Payment): PaymentRequirements {
    return {
      scheme: 'exact',
      network: this.#offer.network.caip2,
      asset: this.#offer.asset,
      payTo: this.#offer.payTo,
      amount: payment.amountAtomic.toString(),
      maxTimeoutSeconds: 300,
      extra: payment.signed.family === 'evm' ? { ...usdcDomain } : { feePayer: this.#feePayer },
    };
  }
}

/** The payment as x402 carries it, on whichever rail it came. */
function payloadOf(payment: Payment, accepted: PaymentRequirements): PaymentPayload {
  const { family, ...payload } = payment.signed;
  return { x402Version: 2, accepted, payload };
}

/** That it was used may well be the work of the facilitator, a moment ago. */
function isUse(reason: string): boolean {
  return reason.includes('nonce_already_used');
}

function pause(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms), null));
}
