import { Challenge, Credential as MppCredential, PaymentRequest, Receipt } from 'mppx';
import { Types } from 'mppx/evm';
import { getAddress, type Hex } from 'viem';
import { z } from 'zod';
import type { NextStep } from '@/lib/catalog/errors/codes';
import { reasonOf } from '@/lib/catalog/errors/payment-reasons';
import type { Operation } from '@/lib/catalog/operation';
import {
  canonicalSignature,
  evmRefusal,
  isOfTime,
  recognizeEvmPayment,
} from '@/lib/payments/evm/authorization';
import { type EvmSigned, evmSignedSchema } from '@/lib/payments/evm/evm-signed';
import { keccak256 } from '@/lib/payments/evm/keccak';
import { invalidSignature } from '@/lib/payments/evm/usdc-token';
import { toAtomic } from '@/lib/payments/money';
import { isEvmOffer } from '@/lib/payments/network-offers';
import type { AvailableEvmOffer, NetworkRegistry } from '@/lib/payments/network-registry';
import type { Payment } from '@/lib/payments/payment';
import {
  bodyDigest,
  type ChallengeAnswer,
  type ChallengeRequest,
  type ChallengingRail,
  type Credential,
  type PaidFor,
  type RecognizedCredential,
  type Rejection,
  twinLink,
} from '@/lib/payments/rail';
import { refusalFacts } from '@/lib/payments/refusal-facts';
import type { Seller } from '@/lib/payments/seller';
import type { Platform } from '@/lib/platform/platform';
import { isSameSecret } from '@/lib/platform/same-secret';
import {
  challengeSeconds,
  chargeOffers,
  credentialHeaders,
  operationOf,
  type Realm,
  selectedHeader,
  serializedRequest,
  writeChallenge,
} from './mpp-challenge';

/** The problem types of the Payment scheme (core 2.8) that we use, with their statuses. */
const problems = {
  'payment-required': { status: 402, title: 'Payment Required' },
  'payment-insufficient': { status: 402, title: 'Payment Insufficient' },
  'payment-expired': { status: 402, title: 'Payment Expired' },
  'verification-failed': { status: 402, title: 'Verification Failed' },
  'method-unsupported': { status: 400, title: 'Method Unsupported' },
  'malformed-credential': { status: 402, title: 'Malformed Credential' },
  'invalid-challenge': { status: 402, title: 'Invalid Challenge' },
} as const;

type ProblemType = keyof typeof problems;

/** The problem types of reason codes. All other codes mean that verification failed. */
const typesOf: Readonly<Record<string, ProblemType>> = {
  several_credentials: 'malformed-credential',
  malformed_credential: 'malformed-credential',
  wrong_credential_header: 'malformed-credential',
  method_unsupported: 'method-unsupported',
  credential_type_unsupported: 'malformed-credential',
  challenge_not_ours: 'invalid-challenge',
  challenge_for_another_operation: 'invalid-challenge',
  challenge_expired: 'payment-expired',
  invalid_exact_evm_insufficient_balance: 'payment-insufficient',
  invalid_exact_evm_payload_authorization_valid_before: 'payment-expired',
  invalid_exact_evm_payload_authorization_valid_before_too_soon: 'payment-expired',
};

/** Two credentials make a request that is not valid. */
const statuses: Readonly<Record<string, number>> = { several_credentials: 400 };

/** What a problem says beside its type and reason. */
interface ProblemFacts {
  readonly message: string;
  readonly docs: string;
  /** The page about refunds; left out where there is none. */
  readonly refunds?: string;
}

/** An RFC 9457 problem for a reason code, with the fields of our error body. */
function problemFor(reason: string | null, { message, ...facts }: ProblemFacts) {
  const type = reason === null ? 'payment-required' : (typesOf[reason] ?? 'verification-failed');
  const { status, title } = problems[type];
  const retry: NextStep = reason === null ? 'pay' : reasonOf(reason).retry;
  return {
    type: `https://paymentauth.org/problems/${type}`,
    title,
    status: statuses[reason ?? ''] ?? status,
    detail: message,
    code: 'payment_required',
    ...(reason === null ? {} : { reason }),
    payment: 'none',
    retry,
    ...facts,
  };
}

/** Servers must accept 4 KB (core 2.3). Our credentials have about 1.3 KB. */
const headerBytesMax = 16 * 1024;

const unusable = (reason: string): Credential => ({ kind: 'unusable', reason, isSigned: true });
const unreadable = (reason: string): Credential => ({ kind: 'unusable', reason, isSigned: false });

const payloadSchema = z.object({ type: z.literal('authorization') });
const chainSchema = z.object({ methodDetails: z.object({ chainId: z.number().int() }) });

type ReadCredential = MppCredential.Credential<unknown, Challenge.Challenge>;

/** MPP, method `evm`, intent `charge`, credential type `authorization`, with mppx's encodings. */
export class MppRail implements ChallengingRail {
  readonly #app: Pick<Platform, 'clock'>;
  readonly name = 'mpp';
  readonly codes = { unknown: 'settlement_pending', inProgress: 'settlement_pending' } as const;
  readonly #networks: NetworkRegistry;
  readonly #realm: Realm;
  readonly #seller: Pick<Seller, 'publicUrl' | 'refunds'>;

  constructor(
    app: Pick<Platform, 'clock'>,
    networks: NetworkRegistry,
    realm: Realm,
    seller: Pick<Seller, 'publicUrl' | 'refunds'>,
  ) {
    this.#app = app;
    this.#networks = networks;
    this.#realm = realm;
    this.#seller = seller;
  }

  /** One challenge per EVM network, in the order of the table; `?network=` narrows them to one. */
  async challenge(
    operation: Operation,
    challengeRequest: ChallengeRequest,
    rejection: Rejection | null,
  ): Promise<ChallengeAnswer> {
    const now = this.#app.clock.date();
    const body = await challengeRequest.body().catch(() => null);
    const digest = body && body.length > 0 ? bodyDigest(body) : null;
    const challenges = this.#offersFor(challengeRequest).map((offer) =>
      writeChallenge(operation, offer, this.#realm, { digest, now }),
    );
    const { publicUrl, refunds } = this.#seller;
    const facts = rejection
      ? refusalFacts(operation, rejection, this.#networks, publicUrl)
      : {
          message:
            challengeRequest.hint ??
            `This call costs ${operation.price} USDC and must be paid for. Nothing has been charged.`,
          docs: `${publicUrl}/docs/errors#payment_required`,
          price: operation.price,
        };
    const problem = problemFor(rejection?.reason ?? null, { ...facts, refunds });
    return {
      status: problem.status,
      headers: {
        'Content-Type': 'application/problem+json',
        'Cache-Control': 'no-store',
        // Several challenges in one field (RFC 9110 section 11.6.1).
        'WWW-Authenticate': challenges.join(', '),
        ...twinLink(operation, this.name, challengeRequest.path),
      },
      body: JSON.stringify(problem),
    };
  }

  receipt(credential: RecognizedCredential, paid: PaidFor): Record<string, string> {
    // The draft allows receipts on 2xx responses only.
    if (!paid.isDelivered) return {};
    // A receipt names its challenge. When a retry carries a new payment, the challenge of the first payment is unknown.
    const isSame = credential.payment.authorization === paid.payment.authorization;
    const offer = this.#networks.byName(paid.payment.network);
    if (!isSame || !offer || !isEvmOffer(offer)) return {};
    const receipt = {
      method: Types.paymentMethod,
      challengeId: credential.claimToken ?? '',
      reference: paid.transactionHash ?? '',
      status: 'success' as const,
      timestamp: paid.settledAt.toISOString(),
      chainId: offer.network.chainId,
      ...(paid.signed === null ? {} : { signedReceipt: paid.signed }),
    };
    return { 'Payment-Receipt': Receipt.serialize(receipt) };
  }

  read(operation: Operation, headers: Pick<Headers, 'get'>, now: Date): Credential {
    const [sent, ...others] = credentialHeaders.flatMap((name) => {
      const value = headers.get(name);
      return value !== null && /^payment(\s|$)/i.test(value) ? [{ name, value }] : [];
    });
    if (!sent) return { kind: 'none' };
    if (sent.value.length > headerBytesMax) return unreadable('malformed_credential');
    if (others.length > 0 || /,\s*payment\s/i.test(sent.value)) return unreadable('several_credentials');
    const credential = readCredential(sent.value);
    if (!credential) return unreadable('malformed_credential');
    const { challenge } = credential;
    if (selectedHeader(challenge) !== sent.name) return unusable('wrong_credential_header');
    if (challenge.method !== Types.paymentMethod || challenge.intent !== Types.chargeIntent) {
      return unusable('method_unsupported');
    }
    if (!payloadSchema.safeParse(credential.payload).success) return unusable('credential_type_unsupported');
    if (!this.#isOurs(challenge)) return unusable('challenge_not_ours');
    return this.#recognize(operation, credential, now);
  }

  /** Whether we issued this challenge: its id is an HMAC over all of it, with one of our secrets. */
  #isOurs(challenge: Challenge.Challenge): boolean {
    if (challenge.realm !== this.#realm.name) return false;
    return this.#realm.secrets.some((secretKey) => Challenge.verify(challenge, { secretKey }));
  }

  #recognize(operation: Operation, { challenge, payload, source }: ReadCredential, now: Date): Credential {
    const chainId = chainSchema.safeParse(challenge.request).data?.methodDetails.chainId;
    const offer = this.#networks.all().find((one) => isEvmOffer(one) && one.network.chainId === chainId);
    if (!offer || !isEvmOffer(offer)) return unusable('challenge_for_another_operation');
    const signed = readSigned(payload);
    if (!signed) return unusable('malformed_credential');
    const payment = recognizeEvmPayment(offer, signed);
    // The method accepts only signatures by keys. Contract wallets pay over x402.
    if (!payment) return unusable(invalidSignature);
    // The nonce is a hash of the id. It becomes public on chain, while the id does not (EVM charge 4.4).
    const nonce: Hex = `0x${keccak256(Buffer.from(challenge.id + challenge.realm)).toString('hex')}`;
    if (!isSameSecret(nonce, payment.authorization)) return unusable('nonce_not_bound');
    return {
      kind: 'recognized',
      credential: {
        payment,
        idempotencyKey: null,
        claimToken: challenge.id,
        bodyDigest: challenge.digest ?? null,
        refusal: this.#refusal(operation, challenge, offer, payment, source, now),
      },
    };
  }

  #refusal(
    operation: Operation,
    challenge: Challenge.Challenge,
    offer: AvailableEvmOffer,
    payment: Payment<EvmSigned>,
    source: string | undefined,
    now: Date,
  ): string | null {
    const isForThis =
      PaymentRequest.serialize(challenge.request) === serializedRequest(operation, offer) &&
      operationOf(challenge) === operation.id;
    if (!isForThis) return 'challenge_for_another_operation';
    if (source !== undefined && !isSource(source, offer, payment.payer)) return 'source_mismatch';
    const terms = { amountAtomic: toAtomic(operation.price), windowSecondsMax: challengeSeconds };
    const refusal = evmRefusal(payment, offer, terms, now);
    const isExpired = !challenge.expires || new Date(challenge.expires).getTime() <= now.getTime();
    // Whom it pays and how much comes first: a payment of these terms may have been used in time.
    return isExpired && (refusal === null || isOfTime(refusal)) ? 'challenge_expired' : refusal;
  }

  #offersFor(challengeRequest: ChallengeRequest): AvailableEvmOffer[] {
    const offers = chargeOffers(this.#networks.offered());
    const wanted = challengeRequest.query.get('network');
    const narrowed = offers.filter(({ network }) => network.name === wanted || network.caip2 === wanted);
    return narrowed.length > 0 ? narrowed : offers;
  }
}

function readCredential(header: string): ReadCredential | null {
  try {
    return MppCredential.deserialize<unknown>(header);
  } catch {
    return null;
  }
}

function readSigned(payload: unknown): EvmSigned | null {
  const { signature, type, ...authorization } = payload as Record<string, unknown>;
  const candidate = { family: 'evm', authorization, signature: canonicalSignature(signature) };
  return evmSignedSchema.safeParse(candidate).data ?? null;
}

/** `did:pkh:eip155:<chainId>:<address>` of the wallet that signed. */
function isSource(source: string, offer: AvailableEvmOffer, payer: string): boolean {
  const prefix = `did:pkh:${offer.network.caip2}:`;
  const address = source.slice(prefix.length);
  return source.startsWith(prefix) && /^0x[0-9a-fA-F]{40}$/.test(address) && getAddress(address) === payer;
}
