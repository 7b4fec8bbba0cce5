import { encodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { isEIP3009Payload } from '@x402/evm';
import {
  isValidPaymentId,
  PAYMENT_ID_MAX_LENGTH,
  PAYMENT_ID_MIN_LENGTH,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import type { Operation } from '@/lib/catalog/operation';
import { evmRefusal } from '@/lib/payments/evm/authorization';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import { readWalletPayment } from '@/lib/payments/evm/wallet-signature';
import { toAtomic } from '@/lib/payments/money';
import { type EvmNetwork, isEvmOffer, isSolanaOffer, type Offer } from '@/lib/payments/network-offers';
import type { AvailableOffer, NetworkRegistry } from '@/lib/payments/network-registry';
import type { Payment } from '@/lib/payments/payment';
import type { PaymentFeature, ReadPayment, X402Scheme } from '@/lib/payments/payment-feature';
import {
  type ChallengeAnswer,
  type ChallengeRequest,
  type ChallengingRail,
  type Credential,
  type PaidFor,
  type RecognizedCredential,
  type Rejection,
  twinLink,
} from '@/lib/payments/rail';
import type { ReceiptIssuer } from '@/lib/payments/receipts/receipt-issuer';
import { refusalFacts } from '@/lib/payments/refusal-facts';
import type { Seller } from '@/lib/payments/seller';
import type * as solanaPayments from '@/lib/payments/solana/solana-payment';
import type { Platform } from '@/lib/platform/platform';
import { offerParameter, receiptExtension, wantedOffer, withSignedOffer } from './offer-receipt';
import { ChallengeWriter, isOurClaimToken, type WrittenChallenge } from './x402-challenge';
import { readEnvelope } from './x402-envelope';
import { acceptsFlow, matchesOffer, maxTimeoutSeconds, requirementsFor, withFlow } from './x402-requirements';

/** A payment that cannot be used, with the reason. */
const unusable = (reason: string): Credential => ({ kind: 'unusable', reason, isSigned: true });

const claimEcho = z.object({ claim: z.object({ info: z.object({ token: z.string().max(100) }) }) });
/** The payment-identifier extension in a client's envelope, with or without an id. */
const identifierEcho = z.object({
  info: z.object({ id: z.string().refine(isValidPaymentId).optional() }).optional(),
});
/** A malformed identifier is an error rather than ignored, because the client relies on it. */
const invalidIdentifier: Credential = {
  kind: 'invalid',
  path: `extensions.${PAYMENT_IDENTIFIER}.info.id`,
  rule: `must be ${PAYMENT_ID_MIN_LENGTH} to ${PAYMENT_ID_MAX_LENGTH} letters, digits, hyphens and underscores`,
};

/** Reads payments on Solana, whose packages are loaded only where there are any. */
export type SolanaPayments = Pick<typeof solanaPayments, 'recognizeSolanaPayment' | 'solanaRefusal'>;

/** What the rail uses. */
export interface X402Deps extends Pick<Platform, 'clock' | 'keys'> {
  readonly seller: Seller;
  readonly issuer: Pick<ReceiptIssuer, 'issueOffer'>;
  /** Null where nothing is paid on Solana. */
  readonly solana: SolanaPayments | null;
}

/** x402 version 2, the scheme `exact` and those that features add, with the official packages' encodings and schemas. */
export class X402Rail implements ChallengingRail {
  readonly #app: X402Deps;
  readonly name = 'x402';
  readonly codes = { unknown: 'settlement_unknown', inProgress: 'payment_in_progress' } as const;
  readonly #networks: NetworkRegistry;
  readonly #challenges: ChallengeWriter;
  readonly #features: readonly Pick<PaymentFeature, 'scheme' | 'takes'>[];

  constructor(
    app: X402Deps,
    networks: NetworkRegistry,
    features: readonly Pick<PaymentFeature, 'scheme' | 'takes'>[],
  ) {
    this.#features = features;
    this.#app = app;
    this.#networks = networks;
    const schemes = features.map(({ scheme }) => scheme);
    this.#challenges = new ChallengeWriter(app, networks, app.seller, schemes);
  }

  async challenge(
    operation: Operation,
    challengeRequest: ChallengeRequest,
    rejection: Rejection | null,
  ): Promise<ChallengeAnswer> {
    const usual = this.#challenges.write(operation, challengeRequest.path, rejection?.reason ?? null);
    const wanted = challengeRequest.query.get(offerParameter);
    const { json, base64 } =
      (await this.#corrected(usual, operation, rejection)) ??
      (wanted === null ? usual : await this.#withOffer(usual, operation, wanted));
    return {
      status: 402,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        'PAYMENT-REQUIRED': base64,
        ...(this.#networks.offered().some(isEvmOffer)
          ? twinLink(operation, this.name, challengeRequest.path)
          : {}),
      },
      // The facts about a refusal are in the body alone: headers have little room.
      body: rejection
        ? withFacts(json, this.#factsOf(operation, rejection))
        : withFacts(json, hintIn(challengeRequest)),
    };
  }

  #factsOf(operation: Operation, rejection: Rejection) {
    return refusalFacts(operation, rejection, this.#networks, this.#app.seller.publicUrl);
  }

  async #withOffer(
    { json }: WrittenChallenge,
    operation: Operation,
    wanted: string,
  ): Promise<WrittenChallenge> {
    const offer = wantedOffer(wanted, this.#networks.offered());
    // Written by us a moment ago.
    const challenge = JSON.parse(json) as PaymentRequired;
    const accepted = withFlow(requirementsFor(offer, toAtomic(operation.price)), this.#flowOf(operation));
    const signed = JSON.stringify(await withSignedOffer(this.#app.issuer, challenge, accepted));
    return { json: signed, base64: Buffer.from(signed).toString('base64') };
  }

  /**
   * Tells the client of another scheme what to sign instead; null where that is the usual 402. The client signs again for the
   * challenge that it received first, so the other entries and the extensions are left out.
   */
  async #corrected(
    { json }: WrittenChallenge,
    operation: Operation,
    rejection: Rejection | null,
  ): Promise<WrittenChallenge | null> {
    const scheme = rejection?.payment && this.#schemeOf(rejection.payment);
    if (!scheme) return null;
    const entry = await scheme.correct(operation, rejection.payment, rejection.reason);
    if (!entry) return null;
    // Written by us a moment ago.
    const challenge = JSON.parse(json) as PaymentRequired;
    const accepts = [withFlow(entry, this.#flowOf(operation))];
    const corrected = JSON.stringify({ ...challenge, accepts, extensions: {} });
    return { json: corrected, base64: Buffer.from(corrected).toString('base64') };
  }

  #flowOf(operation: Operation) {
    return this.#app.seller.flowOf(operation);
  }

  /** The scheme of a payment; null for `exact`. */
  #schemeOf(payment: Payment): X402Scheme | null {
    return this.#features.find((feature) => feature.takes(payment))?.scheme ?? null;
  }

  async receipt(credential: RecognizedCredential, paid: PaidFor): Promise<Record<string, string>> {
    const { payment, transactionHash, signed } = paid;
    const offer = this.#networks.byName(payment.network);
    const ofScheme = (await this.#schemeOf(payment)?.receipt(credential.payment, payment)) ?? {
      amount: payment.amountAtomic.toString(),
    };
    const receipt = encodePaymentResponseHeader({
      success: true,
      transaction: transactionHash ?? '',
      network: offer?.network.caip2 ?? 'eip155:0',
      payer: payment.payer,
      ...ofScheme,
      ...(signed === null ? {} : { extensions: receiptExtension(signed) }),
    });
    return { 'PAYMENT-RESPONSE': receipt, 'X-PAYMENT-RESPONSE': receipt };
  }

  read(operation: Operation, headers: Pick<Headers, 'get'>, now: Date): Credential {
    const payload = readEnvelope(headers);
    if (payload === null) return { kind: 'none' };
    if (typeof payload === 'string') return { kind: 'unusable', reason: payload, isSigned: false };
    const other = this.#features.find(({ scheme }) => scheme.name === payload.accepted.scheme)?.scheme;
    if (other) return this.#recognize(operation, payload, other.read(operation, payload, now));
    const offer = this.#networks.byCaip2(payload.accepted.network);
    if (payload.accepted.scheme !== 'exact') return unusable('unsupported_scheme');
    if (!offer) return unusable('invalid_network');
    return this.#recognize(operation, payload, this.#readExact(operation, payload, offer, now));
  }

  #recognize(operation: Operation, payload: PaymentPayload, read: ReadPayment | string): Credential {
    const extensions = payload.extensions ?? {};
    const identifier = identifierEcho.safeParse(extensions[PAYMENT_IDENTIFIER] ?? {});
    if (!identifier.success) return invalidIdentifier;
    if (typeof read === 'string') return unusable(read);
    const isForFlow = acceptsFlow(payload.accepted, this.#flowOf(operation));
    const claim = claimEcho.safeParse(extensions).data?.claim.info.token ?? null;
    return {
      kind: 'recognized',
      credential: {
        payment: read.payment,
        idempotencyKey: identifier.data.info?.id ?? null,
        claimToken: claim !== null && isOurClaimToken(this.#app, operation.id, claim) ? claim : null,
        bodyDigest: null,
        refusal: read.refusal ?? (isForFlow ? null : 'invalid_payment_requirements'),
      },
    };
  }

  #readExact(
    operation: Operation,
    payload: PaymentPayload,
    offer: AvailableOffer,
    now: Date,
  ): ReadPayment | string {
    const payment = this.#paymentOf(payload, offer, now);
    if (typeof payment === 'string') return payment;
    return { payment, refusal: this.#refusal(operation, payload, offer, payment, now) };
  }

  /** The payment in the envelope, or a reason code when it cannot be one. */
  #paymentOf(payload: PaymentPayload, offer: AvailableOffer, now: Date): Payment | string {
    if (isEvmOffer(offer)) return readEvmPayment(offer, payload);
    const { transaction } = payload.payload;
    const { solana } = this.#app;
    if (!solana || !isSolanaOffer(offer) || typeof transaction !== 'string') return 'invalid_payload';
    const { amount } = payload.accepted;
    const acceptedAtomic = /^[0-9]{1,20}$/.test(amount) ? BigInt(amount) : 0n;
    const payment = solana.recognizeSolanaPayment(offer, transaction, acceptedAtomic, now);
    return payment ?? 'invalid_exact_svm_payload_transaction_could_not_be_decoded';
  }

  /** Checks everything that needs no chain: the exact offer, and the validity window. */
  #refusal(
    operation: Operation,
    payload: PaymentPayload,
    offer: AvailableOffer,
    payment: Payment,
    now: Date,
  ): string | null {
    const amountAtomic = toAtomic(operation.price);
    const refusal = termsRefusal(this.#app.solana, payment, offer, amountAtomic, now);
    if (refusal) return refusal;
    return matchesOffer(payload.accepted, requirementsFor(offer, amountAtomic))
      ? null
      : 'invalid_payment_requirements';
  }
}

function hintIn({ hint }: ChallengeRequest): { message: string } | null {
  return hint === undefined ? null : { message: hint };
}

/** Adds fields to a JSON object. */
function withFacts(json: string, facts: object | null): string {
  if (facts === null) return json;
  return `${json.slice(0, -1)},${JSON.stringify(facts).slice(1)}`;
}

/**
 * Checks the signed terms against the offer: payee, token, exact amount, validity window or fee payer; null when they
 * match.
 */
function termsRefusal(
  solana: SolanaPayments | null,
  payment: Payment,
  offer: AvailableOffer,
  amountAtomic: bigint,
  now: Date,
): string | null {
  const { signed } = payment;
  if (signed.family === 'evm') {
    const terms = { amountAtomic, windowSecondsMax: maxTimeoutSeconds };
    return evmRefusal({ ...payment, signed }, offer, terms, now);
  }
  if (!solana || signed.family !== 'solana' || !isSolanaOffer(offer)) return 'invalid_payload';
  return solana.solanaRefusal({ ...payment, signed }, offer, {
    amountAtomic,
    feePayer: offer.settler.feePayer,
  });
}

/** The EIP-3009 payload as a payment; a reason code for other payloads (Permit2). */
function readEvmPayment(offer: Offer<EvmNetwork>, { payload }: PaymentPayload): Payment<EvmSigned> | string {
  if (typeof payload.authorization !== 'object' || payload.authorization === null) return 'invalid_payload';
  if (!isEIP3009Payload(payload as Parameters<typeof isEIP3009Payload>[0])) return 'invalid_payload';
  return readWalletPayment(offer, payload.authorization, payload.signature);
}
