import { HTTPFacilitatorClient } from '@x402/core/http';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { describeError, log } from '@/lib/log';
import { EvmChain } from '@/lib/payments/evm/chain';
import { checkEvmNetwork } from '@/lib/payments/evm/check';
import { findOutEvm } from '@/lib/payments/evm/find-out';
import { reviewEvm } from '@/lib/payments/evm/review';
import { isEvmOffer, type Offer, usdcDomain } from '@/lib/payments/networks';
import type {
  Charge,
  EvmSigned,
  Outcome,
  Payment,
  SettledTransaction,
  Settler,
  Standing,
  Trace,
  Verification,
} from '@/lib/payments/payment';
import { SolanaLookup } from '@/lib/payments/solana/lookup';

/** Failures of which a facilitator says itself that it found them before it sent anything. */
const foundBeforeSending = /^(invalid_|insufficient_funds$|unsupported_)/;
/** Failures that may hide a payment that went through (reference: x402 section 4). */
const maySettle = /(nonce_already_used|transaction_failed|transaction_state|pending|duplicate)/;

/** Settles through a remote x402 facilitator; what became of a payment is still found out from the chain. */
export class FacilitatorSettler implements Settler {
  readonly writesDown = false;
  readonly #offer: Offer;
  readonly #client: HTTPFacilitatorClient;
  readonly #findOut: (payment: Payment, trace: Trace) => Promise<Outcome>;
  readonly #chainProblems: () => Promise<string[]>;
  readonly #height: () => Promise<bigint>;
  readonly #review: Settler['review'];
  #feePayer: string | null = null;

  constructor(offer: Offer, url: string, token: string | null) {
    this.#offer = offer;
    const authorization = { Authorization: `Bearer ${token}` };
    const headers = { verify: authorization, settle: authorization, supported: authorization };
    this.#client = new HTTPFacilitatorClient({
      url,
      createAuthHeaders: token === null ? undefined : async () => headers,
    });
    if (isEvmOffer(offer)) {
      const chain = new EvmChain(offer);
      this.#findOut = (payment, trace) => findOutEvm(chain, payment as Payment<EvmSigned>, trace);
      this.#chainProblems = () => checkEvmNetwork(chain, []);
      this.#height = async () => (await chain.head()).number;
      this.#review = (transactions) => reviewEvm(chain, transactions);
    } else {
      const lookup = new SolanaLookup(offer);
      this.#findOut = (payment, trace) => lookup.findOut(payment, trace);
      this.#chainProblems = async () => [];
      // The look-up goes by the payer's history and not by height.
      this.#height = async () => 0n;
      this.#review = (transactions) => lookup.review(transactions);
    }
  }

  /** As the facilitator names it; null before the first check. */
  get feePayer(): string | null {
    return this.#feePayer;
  }

  async verify(payment: Payment): Promise<Verification> {
    const requirements = this.#requirements(payment);
    const [height, verdict] = await Promise.all([
      this.#height(),
      this.#client.verify(this.#payload(payment, requirements), requirements),
    ]);
    return verdict.isValid
      ? { ok: true, height }
      : { ok: false, reason: verdict.invalidReason ?? 'unexpected_verify_error' };
  }

  async settle({ payment }: Charge): Promise<Outcome> {
    const requirements = this.#requirements(payment);
    try {
      const answer = await this.#client.settle(this.#payload(payment, requirements), requirements);
      if (answer.success) return { kind: 'settled', transactionHash: answer.transaction, block: null };
      const reason = answer.errorReason ?? 'unexpected_settle_error';
      const isProven =
        answer.transaction === '' && foundBeforeSending.test(reason) && !maySettle.test(reason);
      if (isProven) return { kind: 'refused', reason };
      return { kind: 'unknown', transactionHash: answer.transaction || null };
    } catch (error) {
      // No answer proves nothing: the facilitator may have sent the transaction.
      log().warn({ network: payment.network, error: describeError(error) }, 'a facilitator did not answer');
      return { kind: 'unknown', transactionHash: null };
    }
  }

  findOut(payment: Payment, trace: Trace): Promise<Outcome> {
    return this.#findOut(payment, trace);
  }

  review(transactions: readonly SettledTransaction[]): Promise<ReadonlyMap<string, Standing>> {
    return this.#review(transactions);
  }

  /** What a facilitator sends is its own to look after. */
  async tend(): Promise<void> {}

  async check(): Promise<string[]> {
    const { kinds } = await this.#client.getSupported();
    const kind = kinds.find(
      ({ scheme, network }) => scheme === 'exact' && network === this.#offer.network.caip2,
    );
    if (!kind) return [`the facilitator does not settle ${this.#offer.network.caip2}`];
    const { feePayer } = kind.extra ?? {};
    this.#feePayer = typeof feePayer === 'string' ? feePayer : null;
    if (this.#offer.network.family === 'solana' && !this.#feePayer)
      return ['the facilitator names no fee payer'];
    return this.#chainProblems();
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

  #payload(payment: Payment, accepted: PaymentRequirements): PaymentPayload {
    const { family, ...payload } = payment.signed;
    return { x402Version: 2, accepted, payload };
  }
}
