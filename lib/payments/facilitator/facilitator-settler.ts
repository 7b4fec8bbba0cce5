import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Network, Offer } from '@/lib/payments/network-offers';
import type {
  Charge,
  FinalityStatus,
  Outcome,
  SettledTransaction,
  Trace,
  Verification,
} from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import type {
  Charging,
  NetworkCharging,
  NetworkProblem,
  NetworkReading,
  OwnBalances,
  SettlementLoad,
} from '@/lib/payments/settlers';
import { backoffMs } from '@/lib/platform/backoff';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { RemoteFacilitator, SettlementReport, Support } from './remote-facilitator';

/** Our own view of a chain on which a facilitator settles for us. */
export interface Witness extends NetworkReading, Pick<Charging, 'resolveOutcome'> {
  /** Whether the payment would go through now, as far as can be checked without the facilitator's key. */
  verify(payment: Payment, client?: string): Promise<Verification>;
}

/**
 * Settles through a remote x402 facilitator (docs/decisions/nodes.md). The facilitator's report only says when to
 * look. The chain decides, read through our own RPCs: nothing is delivered without the transfer, and no second payment is
 * requested while the first may be on its way.
 */
export abstract class FacilitatorSettler<N extends Network> implements NetworkCharging {
  readonly #app: Pick<Platform, 'clock' | 'log' | 'timings'>;
  readonly #remote: RemoteFacilitator;
  readonly #witness: Witness;
  protected readonly offer: Offer<N>;
  #settling = 0;

  constructor(
    app: Pick<Platform, 'clock' | 'log' | 'timings'>,
    offer: Offer<N>,
    remote: RemoteFacilitator,
    witness: Witness,
  ) {
    this.#app = app;
    this.offer = offer;
    this.#remote = remote;
    this.#witness = witness;
  }

  /** What the requirements of its network add to those of all. */
  protected abstract extra(): Record<string, unknown>;

  /** Since when to look for a payment that is submitted later: the chain head, or a height above it. */
  protected abstract sinceHeight(): Promise<bigint>;

  /** Takes over what the facilitator says that it supports. @returns what is missing in it */
  protected abstract accept(support: Support): readonly NetworkProblem[];

  async verify(payment: Payment, client?: string): Promise<Verification> {
    const requirements = this.#requirements(payment);
    const [verification, refusal] = await Promise.all([
      this.#witness.verify(payment, client),
      this.#remote.refusal(payloadOf(payment, requirements), requirements),
    ]);
    return verification.ok && refusal !== null
      ? { ok: false, reason: refusal, height: verification.height }
      : verification;
  }

  async settle({ paidCallId, payment }: Charge): Promise<Outcome> {
    const unknown: Outcome = { kind: 'unknown', transactionHash: null };
    this.#settling += 1;
    try {
      const sinceHeight = await this.sinceHeight();
      const requirements = this.#requirements(payment);
      const report = this.#remote.settle(payloadOf(payment, requirements), requirements);
      const outcome = await this.#watch(payment, sinceHeight, report);
      return outcome ?? unknown;
    } catch (error) {
      const facts = { network: payment.network, paidCallId, error: describeError(error) };
      this.#app.log.warn(facts, 'the chain could not be asked about a facilitator settlement');
      return unknown;
    } finally {
      this.#settling -= 1;
    }
  }

  /** @returns the chain's outcome; null when there is none in time */
  async #watch(
    payment: Payment,
    sinceHeight: bigint,
    report: Promise<SettlementReport>,
  ): Promise<Outcome | null> {
    const startedAt = this.#app.clock.monotonic();
    let deadline = startedAt + this.#app.timings.facilitator.answerWithinMs;
    let given: SettlementReport | null = null;
    const { pollFirstMs: firstMs, pollMaxMs: maxMs } = this.#app.timings.facilitator;
    for (let polls = 0; this.#app.clock.monotonic() < deadline; polls += 1) {
      const waitMs = backoffMs({ firstMs, maxMs }, polls);
      if (!given) {
        const silentMs = this.#app.clock.monotonic() - startedAt;
        const patienceMs = Math.max(waitMs, this.#app.timings.facilitator.trustedSilenceMs - silentMs);
        given = await inTime(this.#app.clock, report, patienceMs, null);
        if (given) {
          deadline = Math.min(
            deadline,
            this.#app.clock.monotonic() + this.#app.timings.facilitator.afterReportMs,
          );
          polls = 0;
        }
      } else await this.#app.clock.sleep(waitMs);
      const outcome = await this.#look(payment, sinceHeight, given);
      if (outcome) return outcome;
    }
    if (given?.kind === 'settled') {
      const facts = { network: payment.network, transaction: given.transactionHash };
      this.#app.log.error(facts, 'a facilitator reports a settlement that the chain does not show');
    }
    return null;
  }

  async #look(
    payment: Payment,
    sinceHeight: bigint,
    report: SettlementReport | null,
  ): Promise<Outcome | null> {
    const named = report?.kind === 'settled' || report?.kind === 'pending' ? report.transactionHash : null;
    const found = await this.#witness.resolveOutcome(payment, { sinceHeight, transactionHash: named });
    if (found.kind !== 'unknown') return found;
    if (report?.kind !== 'refused') return null;
    // The chain shows no transfer, the facilitator reports that it sent nothing, and the payment would no longer go
    // through.
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

  /** A facilitator has its own words for a token that stops payments, so the chain is asked. */
  commonProblems(): Promise<readonly NetworkProblem[]> {
    return this.#witness.commonProblems();
  }

  async check(): Promise<readonly NetworkProblem[]> {
    const support = await this.#remote.support();
    const problems = 'problem' in support ? [support.problem] : this.accept(support);
    return problems.length > 0 ? problems : this.#witness.check();
  }

  balances(): Promise<OwnBalances> {
    return this.#witness.balances();
  }

  usdcOf(owner: string): Promise<bigint> {
    return this.#witness.usdcOf(owner);
  }

  get load(): SettlementLoad {
    return { waiting: 0, pending: this.#settling };
  }

  #requirements(payment: Payment): PaymentRequirements {
    const { network, asset, payTo } = this.offer;
    return {
      scheme: 'exact',
      network: network.caip2,
      asset,
      payTo,
      amount: payment.amountAtomic.toString(),
      maxTimeoutSeconds: 300,
      extra: this.extra(),
    };
  }
}

/** The payment as an x402 payload, even if it came over another rail. */
function payloadOf(payment: Payment, accepted: PaymentRequirements): PaymentPayload {
  const { signed } = payment;
  const { family, ...rest } = signed;
  const payload =
    signed.family === 'evm' ? { authorization: signed.authorization, signature: signed.signature } : rest;
  return { x402Version: 2, accepted, payload };
}

/** A used authorization may have been settled by the facilitator a moment ago. */
function isUse(reason: string): boolean {
  return reason.includes('nonce_already_used');
}
