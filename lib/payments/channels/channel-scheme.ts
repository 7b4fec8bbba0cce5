import type { PaymentPayload } from '@x402/core/types';
import type { Operation } from '@/lib/catalog/operation';
import { toAtomic } from '@/lib/payments/money';
import type { Payment } from '@/lib/payments/payment';
import type { ReadPayment, X402Scheme } from '@/lib/payments/payment-feature';
import { matchesOffer, type OfferedRequirements } from '@/lib/payments/x402/x402-requirements';
import { type ChannelBook, cumulativeMismatch } from './channel';
import { ChannelDigests } from './channel-digests';
import { channelReceipt, correction } from './channel-figures';
import type { OfferedChannels } from './channel-offer';
import { readChannelPayload, toChannelPayment } from './channel-payload';
import { channelRequirementsFor, channelScheme } from './channel-requirements';
import type { ChannelTerms } from './channel-terms';
import type { VerifiedChannels } from './verified-channels';

/** x402's `batch-settlement`. While channels are off, only the receipts of earlier calls are left of it. */
export class ChannelScheme implements X402Scheme {
  readonly name = channelScheme;
  readonly #terms: ChannelTerms | null;
  readonly #digests: ChannelDigests | null;
  readonly #offered: OfferedChannels;
  readonly #book: Pick<ChannelBook, 'find' | 'isPublished'>;
  readonly #verified: Pick<VerifiedChannels, 'of'>;

  constructor(
    offered: OfferedChannels,
    to: { book: Pick<ChannelBook, 'find' | 'isPublished'>; verified: Pick<VerifiedChannels, 'of'> },
  ) {
    this.#offered = offered;
    this.#terms = offered.configured;
    this.#digests = this.#terms && new ChannelDigests(this.#terms.offer.network.chainId);
    this.#book = to.book;
    this.#verified = to.verified;
  }

  offer(operation: Operation): OfferedRequirements | null {
    const terms = this.#offered.terms();
    return terms && requirementsOf(terms, operation);
  }

  read(operation: Operation, { accepted, payload }: PaymentPayload, now: Date): ReadPayment | string {
    const terms = this.#terms;
    if (!terms || !this.#digests) return 'unsupported_scheme';
    if (accepted.network !== terms.offer.network.caip2) return 'invalid_network';
    const read = readChannelPayload(terms, this.#digests, payload, now);
    if (typeof read === 'string') return read;
    // Refunds pay for nothing, and have a URL of their own.
    if (read.kind === 'refund') return 'refund_at_wrong_url';
    const offered = requirementsOf(terms, operation);
    const isOffered = offered !== null && matchesOffer(accepted, offered);
    const refusal = isOffered ? read.refusal : 'invalid_payment_requirements';
    return {
      payment: toChannelPayment(terms, read, toAtomic(operation.price), now),
      refusal: terms.isClosing ? 'channels_are_closing' : refusal,
    };
  }

  /** Tells the payer of a channel its current state. */
  async correct(
    operation: Operation,
    { channelId = '', signed }: Payment,
    reason: string,
  ): Promise<OfferedRequirements | null> {
    const entry = this.#terms && channelRequirementsFor(this.#terms, toAtomic(operation.price));
    if (reason !== cumulativeMismatch || !entry) return null;
    const total = signed.family === 'channel' ? BigInt(signed.maxClaimable) : null;
    return { ...entry, extra: { ...entry.extra, ...(await correction(this.#book, channelId, total)) } };
  }

  /** If the channel cannot be read, the receipt omits its state: the call is paid, and the client stays in sync. */
  async receipt(sent: Payment, paid: Payment): Promise<{ amount: string; extra: Record<string, unknown> }> {
    const { channelId = '' } = paid;
    const known = this.#verified.of(paid) ?? (await this.#book.find(channelId).catch(() => null));
    const { amount, extra } = channelReceipt(sent, paid, known);
    return { amount, extra: { ...extra } };
  }
}

/** Deposits into prepaid accounts are not offered through channels, because they lock money up already. */
function requirementsOf(terms: ChannelTerms, operation: Operation): OfferedRequirements | null {
  return operation.variablePrice ? null : channelRequirementsFor(terms, toAtomic(operation.price));
}
