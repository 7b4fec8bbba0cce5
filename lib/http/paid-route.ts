import type { Operation, RailName } from '@/lib/catalog/operation';
import { newId } from '@/lib/ids';
import { claim, claimAgain } from '@/lib/ledger/claim';
import { findEarlier, findPaidCall, type PaidCall, takeOver } from '@/lib/ledger/paid-call';
import { describeError, log } from '@/lib/log';
import { bodyDigest } from '@/lib/payments/body-digest';
import type { Verification } from '@/lib/payments/payment';
import { type Asking, isPrepaid, type Recognised } from '@/lib/payments/rail';
import { instanceId } from '@/lib/runtime/instance';
import { payments } from '@/lib/runtime/payments';
import type { Service } from '@/lib/service';
import type { Requester } from '@/lib/threads';
import { isAvailable } from '@/lib/upstream/availability';
import { acceptInput } from './accept-input';
import { ApiError } from './api-error';
import { readBytes } from './body';
import { clientAddressOf } from './client-address';
import { refuseIfUsedBefore } from './earlier-use';
import { type Ending, fulfil, storedEnding, workUnderWay } from './fulfil';
import { readIdempotencyKey } from './idempotency-key';
import { allowHeader, respondMethodNotAllowed } from './method-not-allowed';
import { canBeginAgain, refusedEnding } from './preparation';
import { atItsPrice } from './priced';
import { checkRefusal } from './refusal';
import { type Asked, isPaymentOf, type Recognition, recogniseReplay } from './replay';
import { requestIdOf, respondError } from './respond';
import { askForPayment, respondEnding } from './respond-ending';
import { type SignedWork, signedWork } from './signed-work';
import { type AnyRail, codesFor, orUnknown, retryAfterSeconds, type Story } from './story';
import { checkBudget, type Standing } from './uncharged-work';

/** How long a repetition waits for the first request before it is told to come again, and how often it looks. */
const waitForFirstMs = 6_000;
const lookAgainMs = { first: 50, most: 500, growth: 1.5 };

/** Next passes no parameters to routes without dynamic segments. */
type RouteContext = { params: Promise<Record<string, string | string[] | undefined> | undefined> };
type RouteHandler = (request: Request, context: RouteContext) => Promise<Response>;

/** A request as it came in. */
interface Incoming {
  readonly request: Request;
  readonly requestId: string;
  readonly params: Record<string, string | string[] | undefined>;
  readonly work: SignedWork;
}

/** Binds an operation, the rail it is paid on and the service that does it to a route. */
export function paidRoute<Op extends Operation>(
  operation: Op,
  railName: RailName,
  service: Service<Op>,
): RouteHandler {
  return async (request, context) => {
    // A framework may call the handler of GET for HEAD: that would be paid for, and its answer thrown away.
    if (request.method !== operation.method)
      return respondMethodNotAllowed(request, allowHeader([operation.method]));
    const requestId = requestIdOf(request);
    const work = signedWork();
    let response: Response;
    try {
      const params = (await context.params) ?? {};
      const incoming = { request, requestId, params, work };
      response = await answer(operation, payments().rails[railName], service, incoming);
    } catch (error) {
      response = respondError(error, requestId);
    }
    await work.end(response.status);
    response.headers.set('Request-Id', requestId);
    return response;
  };
}

/** The story of a paid call, top to bottom (DESIGN 3.1). */
async function answer<Op extends Operation>(
  sold: Op,
  rail: AnyRail,
  service: Service<Op>,
  { request, requestId, params, work }: Incoming,
): Promise<Response> {
  const asking = askingOf(request, sold);
  const operation = await atItsPrice(sold, asking);
  const now = new Date();

  const credential = await rail.read(operation, request.headers, now);
  if (credential.kind === 'unauthorized') throw new ApiError(credential.code);
  if (credential.kind === 'invalid') {
    const { path, rule } = credential;
    throw new ApiError('invalid_input', { reason: 'invalid_input', issues: [{ path, rule }] });
  }
  // What cannot be had or paid now is not offered. Who has paid for it before still gets what it came to.
  if (credential.kind !== 'recognised') refuseToOffer(rail, operation);
  if (credential.kind === 'none') return askForPayment(rail, operation, asking, null);
  if (credential.kind === 'unusable') return askForPayment(rail, operation, asking, credential);

  const body = await asking.body();
  const recognised = credential.credential;
  const paid = {
    payment: recognised.payment,
    refusal: refusalByBody(recognised, body) ?? recognised.refusal,
  };
  const early = earlyVerification(paid);
  const requester: Requester = {
    address: clientAddressOf(request),
    payer: recognised.payment.payer,
    standing: 'signed',
    isPaying: early.isGood,
  };
  await work.begin(requester);
  const { input, requestHash } = await acceptInput(operation, service, body, params, requester);
  const asked: Asked = {
    requestHash,
    idempotencyKey: readIdempotencyKey(request.headers, recognised.idempotencyKey, isPrepaid(rail)),
    claimToken: recognised.claimToken,
    ...paid,
  };
  const story: Story<Op> = {
    operation,
    service,
    rail,
    requestId,
    asking,
    input,
    credential: recognised,
    asked,
  };

  const earlier = await findReplay(story);
  const again = earlier && canBeginAgain(earlier.call) ? earlier.call : null;
  const replayed = earlier && !again ? await replay(story, earlier) : null;
  if (replayed) return replayed;

  const admission = await admit(story, early.found, requester, now).catch(async (error: unknown) => {
    const replayedMeanwhile = await replayOfAnother(story);
    if (replayedMeanwhile) return replayedMeanwhile;
    throw error;
  });
  if (admission instanceof Response) return admission;

  const { verification, standing } = admission;
  const claimed = await claimCall(story, verification.height, again);
  if (!claimed) {
    const winner = await findReplay(story);
    const answered = winner && (await replay(story, winner));
    if (!answered) throw new ApiError('service_unavailable', { retryAfterSeconds });
    return answered;
  }
  return respondEnding(
    story,
    claimed,
    await orUnknown(story, fulfil(claimed, { ...story, standing }, true), claimed.id),
    false,
  );
}

/**
 * Whether the payment is good, and the service takes the call from this payer.
 * @returns an answer when the payment is not good
 * @throws ApiError of a code that says that nothing was charged, by this request
 */
async function admit<Op extends Operation>(
  story: Story<Op>,
  found: () => Good | null,
  requester: Requester,
  now: Date,
): Promise<Response | { verification: Good; standing: Standing }> {
  const { rail, operation, service, input, asked } = story;
  refuseToOffer(rail, operation);
  const verification = found() ?? (await verify(asked));
  if (!verification.ok) return turnedDown(story, verification);
  const { payer } = asked.payment;
  const standing = await checkBudget(service, { payer, address: requester.address, now });
  await service.admit?.(input, {
    payer,
    now,
    isNewcomer: standing.isNewcomer,
    requester: { ...requester, standing: 'paying' },
  });
  return { verification, standing };
}

/** @throws ApiError service_unavailable or provider_unconfigured (503) when nothing can be paid, or had, now */
function refuseToOffer(rail: AnyRail, operation: Operation): void {
  if (!isPrepaid(rail) && payments().desk.offered().length === 0)
    throw new ApiError('service_unavailable', { retryAfterSeconds: 30 });
  if (!isAvailable(operation)) throw new ApiError('provider_unconfigured');
}

async function findReplay(story: Story<Operation>): Promise<Recognition | null> {
  const { payment } = story.credential;
  // When the ledger cannot be asked, this payment may well have been charged by the request that this one repeats.
  const earlier = await orUnknown(story, findEarlier(payment, story.asked.idempotencyKey));
  return recogniseReplay(earlier, story.asked);
}

/**
 * What the same request, a moment ahead of us, has come to; null when there is none. It may have been charged since we
 * looked, and be the reason why the chain or the service refuses us: so before a request is told that nothing was charged.
 */
async function replayOfAnother(story: Story<Operation>): Promise<Response | null> {
  const winner = await findReplay(story);
  return winner && !canBeginAgain(winner.call) ? replay(story, winner) : null;
}

/** The answer to a payment that is no good, unless something has been paid with it already. */
async function turnedDown(
  story: Story<Operation>,
  verification: Extract<Verification, { ok: false }>,
): Promise<Response> {
  const { rail, operation, asking, asked } = story;
  const replayed = await replayOfAnother(story);
  if (replayed) return replayed;
  if (asked.refusal === null) await refuseIfUsedBefore(story, verification);
  return askForPayment(rail, operation, asking, {
    reason: verification.reason,
    payer: asked.payment.payer,
  });
}

/** Reads the body at most once, and only when somebody needs it. */
function askingOf(request: Request, { bodyBytesMax }: Operation): Asking {
  const { pathname, searchParams } = new URL(request.url);
  let bytes: Promise<Uint8Array> | undefined;
  const body = () => {
    bytes ??= readBytes(request, bodyBytesMax);
    return bytes;
  };
  return { path: pathname, query: searchParams, body };
}

type Good = Extract<Verification, { ok: true }>;

/**
 * A payment that is verified before its turn, because its request has to wait and payments that are good go first. Only a
 * good one counts then; any other is verified when it is its turn.
 */
function earlyVerification(paid: Pick<Asked, 'payment' | 'refusal'>) {
  let good: Good | null = null;
  return {
    async isGood(): Promise<boolean> {
      const verification = await verify(paid);
      if (verification.ok) good = verification;
      return good !== null;
    },
    found: () => good,
  };
}

/** A credential that was made for one body pays for no other. */
function refusalByBody(credential: Recognised, body: Uint8Array): string | null {
  const isOther = credential.bodyDigest !== null && credential.bodyDigest !== bodyDigest(body);
  return isOther ? 'body_digest_mismatch' : null;
}

/**
 * What speaks against a payment: what it says itself, then what the chain says.
 * @throws ApiError too_many_failed_settlements (429) for a payer that has cost too much gas
 */
async function verify({ payment, refusal }: Pick<Asked, 'payment' | 'refusal'>): Promise<Verification> {
  if (refusal !== null) return { ok: false, reason: refusal, height: 0n };
  const settler = payments().openSettlerAt(payment.network);
  if (!settler) throw new ApiError('service_unavailable', { retryAfterSeconds });
  const verification = await settler.verify(payment).catch((error: unknown) => {
    log().error({ network: payment.network, error: describeError(error) }, 'a payment could not be verified');
    throw new ApiError('service_unavailable', { retryAfterSeconds, cause: error });
  });
  if (verification.ok || verification.retryAfterSeconds === undefined) return verification;
  throw new ApiError('too_many_failed_settlements', {
    reason: verification.reason,
    retryAfterSeconds: verification.retryAfterSeconds,
  });
}

function claimCall(
  story: Story<Operation>,
  sinceHeight: bigint,
  again: PaidCall | null,
): Promise<PaidCall | null> {
  const entry = {
    id: again?.id ?? newId('pc'),
    operation: story.operation.id,
    rail: story.rail.name,
    payment: story.credential.payment,
    sinceHeight,
    requestHash: story.asked.requestHash,
    idempotencyKey: story.asked.idempotencyKey,
    claimToken: story.asked.claimToken,
    input: story.input,
    isPrepared: story.service.prepare !== undefined,
  };
  const claiming = (again ? claimAgain : claim)(entry, instanceId(), new Date());
  // A claim whose answer is lost may have been written all the same; then recovery ends it.
  return orUnknown(story, claiming, entry.id);
}

/**
 * A repetition gets the first answer: the stored one, or that of the work that it waits for or carries on itself.
 * @returns null when the first came to nothing for good and the repetition brings another payment, which is a new call
 */
async function replay<Op extends Operation>(
  story: Story<Op>,
  { call: first, isProven }: Recognition,
): Promise<Response | null> {
  if (!isProven) return respondUnproven(story, first);
  const deadline = Date.now() + waitForFirstMs;
  let call = first;
  for (let waitMs = lookAgainMs.first; ; waitMs = Math.min(waitMs * lookAgainMs.growth, lookAgainMs.most)) {
    const ending = await nextEnding(story, call, deadline);
    if (ending) return respondReplay(story, call, ending);
    if (Date.now() >= deadline) {
      throw new ApiError(codesFor(story).inProgress, { paidCallId: call.id, retryAfterSeconds });
    }
    await pause(waitMs);
    call = (await orUnknown(story, findPaidCall(call.id), call.id)) ?? call;
  }
}

/** How far a call has come, or comes when this request carries it on; null while somebody else works on it. */
async function nextEnding<Op extends Operation>(
  story: Story<Op>,
  call: PaidCall,
  deadline: number,
): Promise<Ending | null> {
  if (call.answer) return storedEnding(call);
  const underWay = workUnderWay(call.id);
  if (underWay) {
    const ending = await Promise.race([underWay.catch(() => null), pause(deadline - Date.now())]);
    return ending && toldToAnother(ending);
  }
  if (isFinished(call)) {
    const ending = await orUnknown(story, fulfil(call, story, false), call.id);
    // Its refusal has just come true, and recovery was faster to take it up.
    return call.state === 'refused' && ending.kind === 'undelivered' ? null : ending;
  }
  const taken = await orUnknown(story, takeOver(call, instanceId()), call.id);
  return taken && orUnknown(story, fulfil(taken, story, false), taken.id);
}

function respondReplay<Op extends Operation>(
  story: Story<Op>,
  call: PaidCall,
  ending: Ending,
): Promise<Response> | null {
  if (ending.kind === 'refused' && !isPaymentOf(call, story.asked.payment)) {
    // Another payment under the key of a refused one: once that one can never be used, this one may be charged.
    if (ending.isFinal) return null;
    if (call.payment.validBefore.getTime() <= Date.now())
      throw new ApiError(codesFor(story).inProgress, { paidCallId: call.id, retryAfterSeconds });
  }
  return respondEnding(story, call, ending, true);
}

/** Whoever holds a refused payment and nothing else is told whether it was used since; never what came of that. */
async function respondUnproven<Op extends Operation>(story: Story<Op>, call: PaidCall): Promise<Response> {
  switch (await orUnknown(story, checkRefusal(call), call.id)) {
    case 'paid':
      throw new ApiError('payment_already_used', { paidCallId: call.id });
    case 'unknown':
      return respondEnding(story, call, { kind: 'unknown' }, true);
    default:
      return respondEnding(story, call, refusedEnding(call), true);
  }
}

function isFinished(call: PaidCall): boolean {
  return ['delivered', 'kept', 'refused', 'needs_attention', 'refunded'].includes(call.state);
}

function pause(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms), null));
}

/** The ending of work that another request has begun, and is told first. */
function toldToAnother(ending: Ending): Ending {
  return ending.kind === 'answered' ? { ...ending, isFirst: false } : ending;
}
