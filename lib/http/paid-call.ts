import { type PaidCall } from '@/lib/calls/paid-call';
import { advanceCall } from '@/lib/calls/advance-call';
import { timePhase } from '@/lib/calls/count-calls';
import { canRestart } from '@/lib/calls/preparation';
import type { SignedRequest } from '@/lib/calls/replay';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { Operation, RailName } from '@/lib/catalog/operation';
import type { HttpApp } from '@/lib/http/http-app';
import { claim, claimAgain } from '@/lib/ledger/claim';
import { findCallOfPayment } from '@/lib/ledger/paid-call';
import { isSolanaName } from '@/lib/payments/networks';
import { isPayerProven, ownerOfPayment, type Payment } from '@/lib/payments/payment';
import { type ChallengeRequest, isPrepaid } from '@/lib/payments/rail';
import { digestOfRequest } from '@/lib/payments/receipts/receipt';
import { clientNetwork } from '@/lib/platform/addresses/client-network';
import { Deadline } from '@/lib/platform/concurrency/deadline';
import { newOrderedId } from '@/lib/platform/ids';
import type { Requester } from '@/lib/platform/threads';
import type { ServicesApp } from '@/lib/services';
import type { Service } from '@/lib/services/service';
import { acceptInput } from './accept-input';
import { admit, earlyVerification, refusalByBody, refuseIfUnavailable, rejectedNow } from './admission';
import { findReplay, replay, replayOfAnother } from './answer-replay';
import { type ApiRequest, type ApiResponse, type PathParams, withHeaders } from './api-message';
import { readBytes, readInput } from './body';
import { bytesOf } from './call-limits';
import { clientAddressOf } from './client-address';
import { hasCredential } from './credential-headers';
import { FreeTurn } from './free-turn';
import { readIdempotencyKey, withKeyIssues } from './idempotency-key';
import { allowHeader, respondMethodNotAllowed } from './method-not-allowed';
import { findMisplaced } from './misplaced-credential';
import { type AnyRail, orUnknown, type RequestContext, retryAfterSeconds } from './request-context';
import { requestIdOf, respondError } from './respond';
import { respondPaymentRequired, respondResult } from './respond-result';
import { SignedWork } from './signed-work';
import { countIfWrongToken } from './wrong-token';

/** An incoming request. */
interface Incoming {
  readonly request: ApiRequest;
  readonly requestId: string;
  readonly params: PathParams;
  readonly address: string;
  readonly work: SignedWork;
}

/**
 * Handles a request to a paid operation on one of its rails. Never rejects. Every paid call begins here: `processCall`
 * below has the steps in order, and `advanceCall` continues once the call is claimed. CONTRIBUTING.md lists the files to
 * read, under "Follow one paid call".
 * @param turn its turn if it does not pay; null unless it has begun already
 */
export async function handlePaidCall<Op extends Operation>(
  app: HttpApp,
  service: Service<Op, ServicesApp>,
  railName: RailName,
  request: ApiRequest,
  params: PathParams,
  turn: FreeTurn | null = null,
): Promise<ApiResponse> {
  const { operation } = service;
  // Next calls a GET handler for HEAD too. That would charge the client and discard the response.
  if (request.method !== operation.method)
    return respondMethodNotAllowed(app, request, allowHeader([operation.method]));
  const requestId = requestIdOf(request);
  const address = clientAddressOf(app, request);
  const work = new SignedWork(app.refusalHistory, app.throttle, turn ?? new FreeTurn(app, address));
  let response: ApiResponse;
  try {
    response = await processCall(app, operation, app.payments.rails[railName], service, {
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

/** The steps of a paid call, in order. */
async function processCall<Op extends Operation>(
  app: HttpApp,
  inCatalog: Op,
  rail: AnyRail,
  service: Service<Op, ServicesApp>,
  { request, requestId, params, address, work }: Incoming,
): Promise<ApiResponse> {
  const challengeRequest = challengeRequestOf(request, inCatalog);
  const operation = await withRequestedPrice(inCatalog, challengeRequest);
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
    throw new ApiError('invalid_input', { reason: 'invalid_input', issues: [{ path, rule }] });
  }
  // No challenge for an operation that is unavailable or cannot be paid now. A client that has paid before still gets
  // its answer.
  if (credential.kind !== 'recognized') refuseIfUnavailable(app, rail, operation);
  if (credential.kind === 'none')
    return respondPaymentRequired(rail, operation, { ...challengeRequest, hint: misplaced?.hint }, null);
  if (credential.kind === 'unusable') {
    if (credential.isSigned)
      await refuseInvalidInput(app, operation, service, { params, address }, challengeRequest);
    return respondPaymentRequired(rail, operation, challengeRequest, credential);
  }

  const body = await challengeRequest.body();
  const recognized = credential.credential;
  const paid = {
    payment: recognized.payment,
    refusal: refusalByBody(recognized, body) ?? recognized.refusal,
  };
  const client = clientNetwork(address);
  const early = earlyVerification(app, paid, client, deadline);
  const requester: Requester = {
    address,
    owner: ownerOfPayment(recognized.payment),
    isPayerProven: isPayerProven(recognized.payment),
    priority: 'signed',
    isPaying: early.isGood,
  };
  await work.begin(requester);
  const readKey = () => readIdempotencyKey(request.headers, recognized.idempotencyKey, isPrepaid(rail));
  const { input, requestHash } = await acceptInput(app, operation, service, body, params, requester).catch(
    (error: unknown) => {
      throw withKeyIssues(error, readKey);
    },
  );
  const signed: SignedRequest = {
    requestHash,
    idempotencyKey: readKey(),
    claimToken: recognized.claimToken,
    ...paid,
  };
  const context: RequestContext<Op> = {
    operation,
    service,
    rail,
    requestId,
    challengeRequest,
    input,
    credential: recognized,
    signed,
    client,
    deadline,
  };

  early.startAlone();
  const earlier = await timePhase(app, operation, 'look_up', findReplay(app, context));
  const again = earlier && canRestart(earlier.call) ? earlier.call : null;
  const replayed = earlier && !again ? await replay(app, context, earlier) : null;
  if (replayed) return replayed;

  const admitting = timePhase(app, operation, 'verify', admit(app, context, early.result, requester, now));
  const admission = await admitting.catch(async (error: unknown) => {
    const replayedMeanwhile = await replayOfAnother(app, context);
    if (replayedMeanwhile) return { response: replayedMeanwhile };
    throw error;
  });
  if ('response' in admission) return admission.response;

  const { verification, budgetUse } = admission;
  const claiming = claimInTurn(app, context, { body, sinceHeight: verification.height, again });
  const claimed = await timePhase(app, operation, 'claim', claiming);
  if (claimed && 'response' in claimed) return claimed.response;
  if (!claimed) {
    const winner = await findReplay(app, context);
    const answered = winner && (await replay(app, context, winner));
    if (answered) return answered;
    if (!winner) await refuseIfOfAnotherPayer(app, recognized.payment);
    throw new ApiError('service_unavailable', { retryAfterSeconds });
  }
  return respondResult(
    app,
    context,
    claimed,
    await orUnknown(context, advanceCall(app, claimed, { ...context, budgetUse }, true), claimed.id),
    false,
  );
}

/**
 * Validates the input of a request whose payment is refused anyway: what is wrong with the input comes first, whatever the
 * protocol can tell about the payment without the chain.
 * @throws ApiError for invalid input (400), or service_unavailable (503) when too many such requests wait
 */
async function refuseInvalidInput<Op extends Operation>(
  app: HttpApp,
  operation: Op,
  service: Service<Op, ServicesApp>,
  { params, address }: Pick<Incoming, 'params' | 'address'>,
  challengeRequest: ChallengeRequest,
): Promise<void> {
  const requester: Requester = { address, owner: null, priority: 'free' };
  await acceptInput(app, operation, service, await challengeRequest.body(), params, requester);
}

/**
 * On Solana, a transfer pays for one call only, and an operator may already have recorded it for another payer.
 * @throws ApiError payment_already_used (409)
 */
async function refuseIfOfAnotherPayer(app: HttpApp, payment: Payment): Promise<void> {
  if (!isSolanaName(payment.network)) return;
  const paidCallId = await findCallOfPayment(app, payment);
  if (paidCallId !== null) throw new ApiError('payment_already_used', { paidCallId });
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
 * Claims the call. Concurrent calls on one channel are signed for the same total and take turns: the others wait until
 * the first is charged. They then learn the state of the channel, or get their turn if the first was not charged.
 * @returns null when another call has the payment or the key
 */
async function claimInTurn(
  app: HttpApp,
  context: RequestContext<Operation>,
  entry: ClaimEntry,
): Promise<PaidCall | { response: ApiResponse } | null> {
  const { payment } = context.credential;
  const { firstCallMs, firstCallPollFirstMs } = app.timings.waitForOther;
  const deadline = app.clock.monotonic() + firstCallMs;
  for (;;) {
    const claimed = await claimCall(app, context, entry);
    if (claimed || payment.channelId === undefined || app.clock.monotonic() >= deadline) return claimed;
    const replayed = await replayOfAnother(app, context);
    if (replayed) return { response: replayed };
    const rejected = await rejectedNow(app, context);
    if (rejected) return { response: rejected };
    await app.clock.sleep(firstCallPollFirstMs);
  }
}

interface ClaimEntry {
  readonly body: Uint8Array;
  readonly sinceHeight: bigint;
  readonly again: PaidCall | null;
}

function claimCall(
  app: HttpApp,
  context: RequestContext<Operation>,
  { body, sinceHeight, again }: ClaimEntry,
): Promise<PaidCall | null> {
  const entry = {
    id: again?.id ?? newOrderedId('pc', app.clock.date()),
    operation: context.operation.id,
    rail: context.rail.name,
    payment: context.credential.payment,
    sinceHeight,
    requestHash: context.signed.requestHash,
    requestDigest: digestOfRequest(context.operation.method, context.challengeRequest.path, body),
    idempotencyKey: context.signed.idempotencyKey,
    claimToken: context.signed.claimToken,
    input: context.input,
    isPrepared: context.service.prepare !== undefined,
    isFlushedLater:
      context.service.prepare === undefined &&
      app.payments.settlerOf(context.credential.payment)?.recordsFirst === true,
  };
  const claiming = (again ? claimAgain : claim)(app, entry, app.instance.id, app.clock.date());
  // A claim may have been written even though its response was lost. Recovery then ends the call.
  return orUnknown(context, claiming, entry.id);
}

/**
 * The operation with the price of this request. Where the caller names the price, the body contains it and so is read
 * before the challenge. A request without a body gets a challenge for the minimum.
 * @throws ApiError invalid_input (400) when the body has no valid price, or body_too_large (413)
 */
async function withRequestedPrice<Op extends Operation>(
  operation: Op,
  challengeRequest: ChallengeRequest,
): Promise<Op> {
  const { variablePrice } = operation;
  if (!variablePrice) return operation;
  const bytes = await challengeRequest.body();
  if (bytes.length === 0) return operation;
  const { [variablePrice.field]: price } = readInput<Operation>(operation, bytes, {});
  return { ...operation, price: String(price) };
}
