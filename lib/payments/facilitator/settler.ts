import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { evmBalances, evmUsdcOf } from '@/lib/payments/evm/balances';
import { EvmChain } from '@/lib/payments/evm/chain';
import { checkEvmNetwork } from '@/lib/payments/evm/check';
import { EvmFinality } from '@/lib/payments/evm/check-finality';
import { PaymentSimulator } from '@/lib/payments/evm/payment-simulator';
import { resolveEvmOutcome } from '@/lib/payments/evm/resolve-outcome';
import { evmPayment } from '@/lib/payments/evm/settlement-transaction';
import { tokenProblems } from '@/lib/payments/evm/token-problems';
import { isEvmOffer, isSolanaOffer, type Offer } from '@/lib/payments/networks';
import type {
  Charge,
  FinalityStatus,
  NetworkProblem,
  Outcome,
  OwnBalances,
  Payment,
  SettledTransaction,
  SettlementLoad,
  Settler,
  Trace,
  Verification,
  WalletAnswer,
} from '@/lib/payments/payment';
import type { RpcNodes } from '@/lib/payments/rpc/nodes';
import { SolanaLookup } from '@/lib/payments/solana/lookup';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { Credentials } from './credentials';
import { RemoteFacilitator, type SettlementReport } from './remote';

/**
 * Settles through a remote x402 facilitator (docs/decisions/nodes.md). The facilitator's report only says when to
 * look. The chain decides, read through our own RPCs: nothing is delivered without the transfer, and no second payment is
 * requested while the first may be on its way.
 */
export class FacilitatorSettler implements Settler {
  readonly #app: Platform;
  readonly recordsOutcome = false;
  readonly recordsFirst = false;
  readonly #offer: Offer;
  readonly #remote: RemoteFacilitator;
  readonly #witness: Witness;
  #feePayer: string | null = null;
  #settling = 0;

  constructor(app: Platform, offer: Offer, nodes: RpcNodes, url: string, credentials: Credentials) {
    this.#app = app;
    this.#offer = offer;
    this.#remote = new RemoteFacilitator(this.#app, offer.network, url, credentials);
    this.#witness = witnessOf(this.#app, offer, nodes);
  }

  /** The facilitator's fee payer; null before the first check. */
  get feePayer(): string | null {
    return this.#feePayer;
  }

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

  async askWallet(payment: Payment, client: string): Promise<WalletAnswer> {
    return (await this.#witness.askWallet?.(payment, client)) ?? 'signed';
  }

  async settle({ paidCallId, payment }: Charge): Promise<Outcome> {
    const unknown: Outcome = { kind: 'unknown', transactionHash: null };
    this.#settling += 1;
    try {
      const sinceHeight = await this.#witness.height();
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
    for (
      let wait = this.#app.timings.facilitator.pollFirstMs;
      this.#app.clock.monotonic() < deadline;
      wait = Math.min(wait * 2, this.#app.timings.facilitator.pollMaxMs)
    ) {
      if (!given) {
        const silentMs = this.#app.clock.monotonic() - startedAt;
        const patienceMs = Math.max(wait, this.#app.timings.facilitator.trustedSilenceMs - silentMs);
        given = await inTime(this.#app.clock, report, patienceMs, null);
        if (given) {
          deadline = Math.min(
            deadline,
            this.#app.clock.monotonic() + this.#app.timings.facilitator.afterReportMs,
          );
          wait = this.#app.timings.facilitator.pollFirstMs;
        }
      } else await this.#app.clock.sleep(wait);
      const outcome = await this.#look(payment, sinceHeight, given);
      if (outcome) return outcome;
    }
    if (given?.kind === 'settled') {
      const facts = { network: payment.network, transaction: given.transactionHash };
      this.#app.log.error(facts, 'a facilitator says that it settled, and the chain does not show it');
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

  /** The facilitator follows its own transactions. */
  async maintain(): Promise<void> {}

  /** A facilitator has its own words for a token that stops payments, so the chain is asked. */
  commonProblems(): Promise<readonly NetworkProblem[]> {
    return this.#witness.commonProblems();
  }

  async check(): Promise<readonly NetworkProblem[]> {
    const support = await this.#remote.support();
    if ('problem' in support) return [support.problem];
    this.#feePayer = support.feePayer;
    if (this.#offer.network.family === 'solana' && !this.#feePayer)
      return [{ message: 'the facilitator reports no fee payer', advice: 'Use another facilitator.' }];
    return this.#witness.check();
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
    return {
      scheme: 'exact',
      network: this.#offer.network.caip2,
      asset: this.#offer.asset,
      payTo: this.#offer.payTo,
      amount: payment.amountAtomic.toString(),
      maxTimeoutSeconds: 300,
      extra: isEvmOffer(this.#offer) ? { ...this.#offer.network.usdcDomain } : { feePayer: this.#feePayer },
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

/** A height that no chain has. */
const farFuture = 2n ** 63n;

/** A used authorization may have been settled by the facilitator a moment ago. */
function isUse(reason: string): boolean {
  return reason.includes('nonce_already_used');
}

/** Our own view of a chain on which a facilitator settles for us. */
interface Witness
  extends Pick<Settler, 'askWallet' | 'resolveOutcome' | 'checkFinality' | 'check' | 'balances' | 'usdcOf'> {
  commonProblems(): Promise<readonly NetworkProblem[]>;
  /** Since when to look for a payment that is submitted later: the chain head, or a height above it. */
  height(): Promise<bigint>;
  /** Whether the payment would go through now, as far as can be checked without the facilitator's key. */
  verify(payment: Payment, client?: string): Promise<Verification>;
}

/** @returns the view through the RPCs of an offer */
function witnessOf(app: Platform, offer: Offer, nodes: RpcNodes): Witness {
  if (isEvmOffer(offer)) {
    const chain = new EvmChain(app, offer, nodes);
    const simulator = new PaymentSimulator(chain);
    const finality = new EvmFinality(app, chain);
    return {
      height: async () => (await chain.head()).number,
      verify: (payment, client) => simulator.verify(evmPayment(payment), client),
      askWallet: (payment, client) => simulator.askWallet(evmPayment(payment), client),
      resolveOutcome: (payment, trace) => resolveEvmOutcome(app, chain, evmPayment(payment), trace),
      checkFinality: (transactions) => finality.check(transactions),
      check: () => checkEvmNetwork(app, chain, []),
      commonProblems: () => tokenProblems(chain),
      balances: () => evmBalances(chain, []),
      usdcOf: (owner) => evmUsdcOf(chain, owner),
    };
  }
  if (!isSolanaOffer(offer)) throw new Error(`cannot read ${offer.network.name}`);
  const lookup = new SolanaLookup(app, offer, nodes);
  return {
    // It is found wherever it landed. Until the facilitator has had time, it has not expired, whatever a node that is behind says.
    height: async () => farFuture,
    // Only the facilitator can simulate it, with its fee payer's signature.
    verify: (payment) => lookup.verify(payment),
    resolveOutcome: (payment, trace) => lookup.findOut(payment, trace),
    checkFinality: (transactions) => lookup.review(transactions),
    check: () => lookup.check(),
    commonProblems: () => lookup.commonProblems(),
    balances: () => lookup.balances(),
    usdcOf: (owner) => lookup.usdcOf(owner),
  };
}
