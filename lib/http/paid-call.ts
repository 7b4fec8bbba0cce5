import { buy } from '@/lib/calls/buy';
import type { BuyDeps } from '@/lib/calls/call-deps';
import type { CallService } from '@/lib/calls/call-service';
import type { Purchase } from '@/lib/calls/purchase';
import { EarlyVerification } from '@/lib/calls/verification';
import { ApiError, invalidInput } from '@/lib/catalog/errors/api-error';
import type { Operation } from '@/lib/catalog/operation';
import type { PausedOperations } from '@/lib/ledger/paused-operations';
import type { NetworkRegistry } from '@/lib/payments/network-registry';
import { isPayerProven, ownerOfPayment } from '@/lib/payments/payment';
import {
  type AnyRail,
  bodyDigest,
  type ChallengeRequest,
  isPrepaid,
  type RecognizedCredential,
} from '@/lib/payments/rail';
import { digestOfRequest } from '@/lib/payments/receipts/receipt';
import { clientNetwork } from '@/lib/platform/addresses/client-network';
import { Deadline } from '@/lib/platform/concurrency/deadline';
import type { Platform } from '@/lib/platform/platform';
import type { Settings } from '@/lib/platform/settings';
import type { Requester } from '@/lib/platform/threads';
import type { Source } from '@/lib/platform/upstream/availability';
import type { InputCheck } from '@/lib/services/service';
import { type ApiRequest, type ApiResponse, type PathParams, withHeaders } from './api-message';
import { bytesOf, readBytes, readInput } from './body';
import type { UnpaidRequest } from './bought-before';
import { clientAddressOf } from './client-address';
import { hasCredential, isBusy, isSignedIn, unreadBecause } from './credential-headers';
import { FreeAdmission } from './free-admission';
import { readIdempotencyKey, withKeyIssues } from './idempotency-key';
import { allowHeader, respondMethodNotAllowed } from './method-not-allowed';
import { findMisplaced } from './misplaced-credential';
import type { RateLimits } from './rate-limit';
import type { RefusalHistory } from './refusal-history';
import { requestIdOf, respondError } from './respond';
import { respondPaymentRequired, respondPurchase } from './respond-result';
import { SignedWork } from './signed-work';
import type { Throttle } from './throttle';
import type { AcceptedInput } from './validate-input';
import { countIfWrongToken } from './wrong-token';

interface Incoming {
  readonly request: ApiRequest;
  readonly requestId: string;
  readonly params: PathParams;
  readonly address: string;
  readonly work: SignedWork;
}

/** What processing a request uses. What not every host of paid calls has is handed in as a function. */
export interface ProcessDeps extends Pick<Platform, 'clock' | 'timings'> {
  readonly buying: BuyDeps;
  readonly payments: { readonly networks: Pick<NetworkRegistry, 'offered'> };
  readonly pausedOperations: Pick<PausedOperations, 'includes'>;
  /** Parses and validates an input. Throws ApiError. */
  readonly acceptInput: (
    operation: Operation,
    check: InputCheck | undefined,
    bytes: Uint8Array,
    params: PathParams,
    requester: Requester,
  ) => Promise<AcceptedInput>;
  /** Answers a wallet that signs in instead of paying, or says why not. Null where no wallet can sign in. */
  readonly answerSignedIn:
    | ((request: UnpaidRequest) => Promise<ApiResponse | { readonly hint: string }>)
    | null;
  /** Who makes an operation's responses; null if we make them ourselves. */
  readonly sourceOf: (operation: Operation) => Source | null;
}

/** What answering a request uses: what processing it uses, and limits for those who do not pay. */
export interface PaidCallDeps extends Pick<Platform, 'metrics' | 'problems'> {
  readonly settings: Pick<Settings, 'PUBLIC_URL' | 'TRUSTED_PROXIES'>;
  readonly processing: ProcessDeps;
  readonly throttle: Pick<Throttle, 'admitCall' | 'admitRefusal' | 'beginPaying' | 'paying'>;
  readonly rateLimits: Pick<RateLimits, 'countFreeCall' | 'countWrongToken' | 'noteBytes'>;
  /** Null when refused requests never slow down later ones. */
  readonly refusalHistory: RefusalHistory | null;
  readonly clientAddressHeader: string;
}

/**
 * Handles a request to a paid operation on one of its rails. Never rejects. Every paid call begins here: `processCall`
 * below has the steps in order until the request is understood, and `buy` continues. CONTRIBUTING.md lists the files to
 * read, under "Follow one paid call".
 * @param admission its turn if it does not pay; null unless it has begun already
 */
export async function handlePaidCall(
  app: PaidCallDeps,
  service: CallService,
  rail: AnyRail,
  request: ApiRequest,
  params: PathParams,
  admission: FreeAdmission | null = null,
): Promise<ApiResponse> {
  const { operation } = service;
  // Next calls a GET handler for HEAD too. That would charge the client and discard the response.
  if (request.method !== operation.method)
    return respondMethodNotAllowed(app, request, allowHeader([operation.method]));
  const requestId = requestIdOf(request);
  const address = clientAddressOf(app, request);
  const work = new SignedWork(app.refusalHistory, app.throttle, admission ?? new FreeAdmission(app, address));
  let response: ApiResponse;
  try {
    response = await processCall(app.processing, service, rail, {
      request,
      requestId,
      params,
      address,
      work,
    });
  } catch (error) {
    response = respondError(app, await countIfWrongToken(app, address, error), requestId);
  }
  await work.end(response.status);
  return withHeaders(response, { 'Request-Id': requestId });
}

/** The steps from a request to its response, in order. */
async function processCall(
  app: ProcessDeps,
  service: CallService,
  rail: AnyRail,
  { request, requestId, params, address, work }: Incoming,
): Promise<ApiResponse> {
  const challengeRequest = challengeRequestOf(request, service.operation);
  const operation = await withRequestedPrice(service.operation, challengeRequest);
  const now = app.clock.date();
  const deadline = new Deadline(app.clock, app.timings.signedRequest.answerWithinMs);

  if (isPrepaid(rail)) await work.beginLookUp(address);
  const credential = await rail.read(operation, request.headers, now);
  // Whatever was sent, it is not a payment. Without any, the listener has waited for its turn.
  if (credential.kind !== 'recognized' && hasCredential(request.headers))
    await work.beginUnpaid(address, bytesOf({ header: (name) => request.headers.get(name) }));
  const misplaced = findMisplaced(operation, rail.name, request.headers);
  if (credential.kind === 'unauthorized')
    throw new ApiError(credential.code, { issues: misplaced ? [misplaced.issue] : [] });
  if (credential.kind === 'invalid') {
    const { path, rule } = credential;
    throw invalidInput([{ path, rule }]);
  }
  let hint = misplaced?.hint;
  const isByWallet = credential.kind === 'none' && rail.name === 'x402' && !operation.addsUp;
  if (app.answerSignedIn && isByWallet && isSignedIn(request)) {
    await work.beginSignedIn(bytesOf({ header: (name) => request.headers.get(name) }));
    const unpaid = { operation, challengeRequest, request, requestId, params, address };
    const refuse = () => refuseIfUnavailable(app, rail, service);
    const unpaidRequest = { ...unpaid, service, rail, deadline, refuseIfUnavailable: refuse };
    const answered = await app.answerSignedIn(unpaidRequest);
    if ('status' in answered) return answered;
    hint ??= answered.hint;
  }
  // No challenge for an operation that is unavailable or cannot be paid now. A client that has paid before still gets
  // its answer.
  if (credential.kind !== 'recognized') refuseIfUnavailable(app, rail, service);
  if (credential.kind === 'none')
    return respondPaymentRequired(rail, operation, { ...challengeRequest, hint }, null);
  if (credential.kind === 'unusable') {
    if (credential.isSigned)
      await refuseInvalidInput(app, operation, service, { params, address }, challengeRequest);
    return respondPaymentRequired(rail, operation, challengeRequest, credential);
  }

  const body = await challengeRequest.body();
  const recognized = credential.credential;
  const { payment } = recognized;
  const refusal = refusalByBody(recognized, body) ?? recognized.refusal;
  const client = clientNetwork(address);
  const early = new EarlyVerification(app.buying, { signed: { payment, refusal }, client, deadline });
  const requester: Requester = {
    address,
    owner: ownerOfPayment(payment),
    isPayerProven: isPayerProven(payment),
    priority: 'signed',
    isPaying: () => early.isGood(),
  };
  const readKey = () => readIdempotencyKey(request.headers, recognized.idempotencyKey, isPrepaid(rail));
  const accepting = work
    .begin(requester)
    .then(() => app.acceptInput(operation, service.check, body, params, requester));
  const { input, requestHash } = await accepting.catch((error: unknown) => {
    throw isBusy(error) ? unreadBecause(error) : withKeyIssues(error, readKey);
  });
  const signed = {
    requestHash,
    idempotencyKey: readKey(),
    claimToken: recognized.claimToken,
    payment,
    refusal,
  };
  const purchase: Purchase = {
    service,
    rail,
    input,
    signed,
    requestDigest: () => digestOfRequest(operation.method, challengeRequest.path, body),
    requester,
    client,
    deadline,
    refuseIfUnavailable: () => refuseIfUnavailable(app, rail, service),
  };
  // A node has time to spare while nothing else is paid for.
  if (work.paysAlone) early.startAlone();
  const result = await buy(app.buying, purchase, () => early.result(), now);
  const source = app.sourceOf(operation);
  const context = { rail, operation, source, challengeRequest, credential: recognized, requestId, signed };
  return respondPurchase(context, result);
}

/**
 * Validates the input of a request whose payment is refused anyway: what is wrong with the input comes first, whatever the
 * protocol can tell about the payment without the chain.
 * @throws ApiError for invalid input (400), or service_unavailable (503) when too many such requests wait
 */
async function refuseInvalidInput(
  app: Pick<ProcessDeps, 'acceptInput'>,
  operation: Operation,
  service: CallService,
  { params, address }: Pick<Incoming, 'params' | 'address'>,
  challengeRequest: ChallengeRequest,
): Promise<void> {
  const requester: Requester = { address, owner: null, priority: 'free' };
  await app.acceptInput(operation, service.check, await challengeRequest.body(), params, requester);
}

/** Reads the body lazily, and at most once. */
function challengeRequestOf(request: ApiRequest, { bodyBytesMax }: Operation): ChallengeRequest {
  const { pathname, searchParams } = new URL(request.url);
  let bytes: Promise<Uint8Array> | undefined;
  const body = () => {
    bytes ??= readBytes(request, bodyBytesMax);
    return bytes;
  };
  return { path: pathname, query: searchParams, body };
}

/**
 * The operation with the price of this request. Where the caller names the price, the body contains it and so is read
 * before the challenge. A request without a body gets a challenge for the minimum.
 * @throws ApiError invalid_input (400) when the body has no valid price, or body_too_large (413)
 */
async function withRequestedPrice(
  operation: Operation,
  challengeRequest: ChallengeRequest,
): Promise<Operation> {
  const { variablePrice } = operation;
  if (!variablePrice) return operation;
  const bytes = await challengeRequest.body();
  if (bytes.length === 0) return operation;
  const { [variablePrice.field]: price } = readInput(operation, bytes, {});
  return { ...operation, price: String(price) };
}

/** A credential that is bound to one body does not pay for another. */
function refusalByBody(credential: RecognizedCredential, body: Uint8Array): string | null {
  const isOther = credential.bodyDigest !== null && credential.bodyDigest !== bodyDigest(body);
  return isOther ? 'body_digest_mismatch' : null;
}

/** An operator has to deal with the failed calls first. */
const pausedRetrySeconds = 300;

/**
 * @throws ApiError service_unavailable, provider_unconfigured or operation_paused (503) when no network is available,
 *   or the operation is unavailable or paused
 */
function refuseIfUnavailable(
  app: Pick<ProcessDeps, 'payments' | 'pausedOperations'>,
  rail: AnyRail,
  service: CallService,
): void {
  if (!isPrepaid(rail) && app.payments.networks.offered().length === 0)
    throw new ApiError('service_unavailable', {
      retryAfterSeconds: 30,
      cause: new Error('no network is offered'),
    });
  if (!service.isAvailable()) throw new ApiError('provider_unconfigured');
  if (app.pausedOperations.includes(service.operation.id))
    throw new ApiError('operation_paused', { retryAfterSeconds: pausedRetrySeconds });
}
