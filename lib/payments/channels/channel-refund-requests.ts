import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import { otherPaths } from '@/lib/catalog/other-paths';
import { toPrice } from '@/lib/payments/money';
import type { ChallengeAnswer } from '@/lib/payments/rail';
import { readEnvelope } from '@/lib/payments/x402/x402-envelope';
import type { Platform } from '@/lib/platform/platform';
import { type ChannelBook, cumulativeMismatch } from './channel';
import { ChannelDigests } from './channel-digests';
import { correction, figuresOf } from './channel-figures';
import { type ChannelPayload, readChannelPayload } from './channel-payload';
import { paidForEachRefund, refundAtLeast } from './channel-refund-rules';
import type { ChannelRefunds, RefundOutcome } from './channel-refunds';
import { channelRequirementsFor, channelScheme } from './channel-requirements';
import type { ChannelTerms } from './channel-terms';

/** A 402 has no other place for words. */
const description =
  `Refund what is left in a payment channel. One that has paid less than ${toPrice(paidForEachRefund)} USDC for each of its refunds ` +
  `is refunded from ${toPrice(refundAtLeast)} USDC on; its payer can withdraw less from the contract without the service.`;

/** Nothing is bought here. The official client needs an amount, and ignores it. */
const noPriceAtomic = 1n;

/** The answer to a refund request. */
export type RefundAnswer =
  | { readonly kind: 'challenge'; readonly answer: ChallengeAnswer }
  | { readonly kind: 'made'; readonly headers: Record<string, string>; readonly body: RefundBody }
  | Extract<RefundOutcome, { kind: 'open' | 'too_soon' | 'busy' }>;

interface RefundBody {
  readonly status: 'refunded';
  readonly channelId: string;
  /** USDC, decimal. */
  readonly amount: string;
  readonly currency: 'USDC';
  readonly network: string;
  readonly transaction: string | null;
}

/** Answers refund requests as the official client of x402's `batch-settlement` makes them: a GET that is answered like a payment. */
export class RefundRequests {
  readonly #app: Pick<Platform, 'clock'>;
  readonly #terms: ChannelTerms;
  readonly #book: Pick<ChannelBook, 'find' | 'isPublished'>;
  readonly #refunds: Pick<ChannelRefunds, 'ask'>;
  readonly #url: string;
  readonly #digests: ChannelDigests;

  constructor(
    app: Pick<Platform, 'clock'>,
    terms: ChannelTerms,
    to: {
      book: Pick<ChannelBook, 'find' | 'isPublished'>;
      refunds: Pick<ChannelRefunds, 'ask'>;
      publicUrl: string;
    },
  ) {
    this.#app = app;
    this.#terms = terms;
    this.#book = to.book;
    this.#refunds = to.refunds;
    this.#url = to.publicUrl + otherPaths.channel_refund.path;
    this.#digests = new ChannelDigests(terms.offer.network.chainId);
  }

  /**
   * @param countUnearned counts a refund that its channel has not earned for the client; rejects when there were too many
   * @throws what `countUnearned` does, and when the chain or the ledger cannot be reached
   */
  async answer(headers: Pick<Headers, 'get'>, countUnearned: () => Promise<void>): Promise<RefundAnswer> {
    const request = this.#read(headers);
    if (typeof request === 'string') return this.#challenge(request);
    const { channelId, config, maxClaimableAtomic: totalAtomic, refundAtomic: atomic } = request;
    const outcome = await this.#refunds.ask({ channelId, totalAtomic, atomic }, config, countUnearned);
    switch (outcome.kind) {
      case 'refused':
        return this.#challenge(
          outcome.reason,
          outcome.reason === cumulativeMismatch ? await correction(this.#book, channelId, totalAtomic) : {},
        );
      case 'made':
        return { kind: 'made', ...this.#receipt(request, outcome) };
      default:
        return outcome;
    }
  }

  /** @returns what the payer has signed, or the reason for the 402 */
  #read(headers: Pick<Headers, 'get'>): ChannelPayload | string {
    const envelope = readEnvelope(headers);
    if (envelope === null) return 'payment_required';
    if (typeof envelope === 'string') return envelope;
    const { scheme, network } = envelope.accepted;
    if (scheme !== channelScheme) return 'unsupported_scheme';
    if (network !== this.#terms.offer.network.caip2) return 'invalid_network';
    const payload = readChannelPayload(this.#terms, this.#digests, envelope.payload, this.#app.clock.date());
    if (typeof payload === 'string') return payload;
    return payload.kind === 'refund' ? payload : 'only_refunds_at_this_url';
  }

  #challenge(error: string, more: Record<string, unknown> = {}): RefundAnswer {
    const entry = channelRequirementsFor(this.#terms, noPriceAtomic);
    if (!entry) throw new Error('channels are not offered for the smallest amount');
    const challenge: PaymentRequired = {
      x402Version: 2,
      error,
      resource: { url: this.#url, description },
      accepts: [{ ...entry, extra: { ...entry.extra, ...more } }],
    };
    const header = encodePaymentRequiredHeader(challenge);
    return {
      kind: 'challenge',
      answer: {
        status: 402,
        headers: {
          'Content-Type': 'application/json',
          'Cache-Control': 'no-store',
          'PAYMENT-REQUIRED': header,
        },
        body: JSON.stringify(challenge),
      },
    };
  }

  #receipt(
    { channelId, config }: ChannelPayload,
    { atomic, channel, transactionHash }: Extract<RefundOutcome, { kind: 'made' }>,
  ): { headers: Record<string, string>; body: RefundBody } {
    const { network } = this.#terms.offer;
    const receipt = encodePaymentResponseHeader({
      success: true,
      transaction: transactionHash ?? '',
      network: network.caip2,
      payer: config.payer,
      amount: atomic.toString(),
      extra: { channelState: figuresOf(channel) },
    });
    return {
      headers: { 'PAYMENT-RESPONSE': receipt, 'X-PAYMENT-RESPONSE': receipt, 'Cache-Control': 'no-store' },
      body: {
        status: 'refunded',
        channelId,
        amount: toPrice(atomic),
        currency: 'USDC',
        network: network.name,
        transaction: transactionHash,
      },
    };
  }
}
