import type { Operation, RailName } from '@/lib/catalog/operation';
import { newId } from '@/lib/ids';
import { claim, claimAgain } from '@/lib/ledger/claim';
import { findEarlier, findPaidCall, type PaidCall, takeOver } from '@/lib/ledger/paid-call';
import { describeError, log } from '@/lib/log';
import { bodyDigest } from '@/lib/payments/body-digest';
import type { Payment, Verification } from '@/lib/payments/payment';
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
import { type Ending, fulfil, storedEnding, workUnderWay } from './fulfil';
import { readIdempotencyKey } from './idempotency-key';
import { canBeginAgain } from './preparation';
import { atItsPrice } from './priced';
import { type Asked, recogniseReplay } from './replay';
import { requestIdOf, respondError } from './respond';
import { askForPayment, respondEnding } from './respond-ending';
import { type SignedWork, signedWork } from './signed-work';
import { type AnyRail, codesFor, orUnknown, retryAfterSeconds, type Story } from './story';
import { checkBudget } from './uncharged-work';

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
  // What cannot be had or paid now is not offered. Who has paid for it before still gets what it came to.
  if (credential.kind !== 'recognised') refuseToOffer(rail, operation);
  if (credential.kind === 'none') return askForPayment(rail, operation, asking, null);
  if (credential.kind === 'unusable') return askForPayment(rail, operation, asking, credential);

  const body = await asking.body();
  const recognised = credential.credential;
  const verification = earlyVerification(recognised, body);
  const requester: Requester = {
    address: clientAddressOf(request),
    payer: recognised.payment.payer,
    standing: 'signed',
    isPaying: verification.isGood,
  };
  await work.begin(requester);
  const { input, requestHash } = await acceptInput(operation, service, body, params, requester);
  const asked: Asked = {
    requestHash,
    idempotencyKey: readIdempotencyKey(request.headers, recognised.idempotencyKey, isPrepaid(rail)),
    claimToken: recognised.claimToken,
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
  const isAgain = earlier !== null && canBeginAgain(earlier);
  if (earlier && !isAgain) return replay(story, earlier);

  refuseToOffer(rail, operation);
  const refusal = verification.found() ?? (await refusalOf(recognised, body));
  if (typeof refusal === 'string') {
    // The chain may know this payment because the same request, a moment ahead of us, has just settled it.
    const winner = await findReplay(story);
    return winner && !canBeginAgain(winner)
      ? replay(story, winner)
      : askForPayment(rail, operation, asking, { reason: refusal, payer: recognised.payment.payer });
  }

  const { payer } = recognised.payment;
  const { address } = requester;
  const standing = await checkBudget(service, { payer, address, now });
  await service.admit?.(input, {
    payer,
    now,
    isNewcomer: standing.isNewcomer,
    requester: { ...requester, standing: 'paying' },
  });
  const claimed = await claimCall(story, refusal.height, isAgain ? earlier : null);
  if (!claimed) {
    const winner = await findReplay(story);
    if (!winner) throw new ApiError('service_unavailable', { retryAfterSeconds });
    return replay(story, winner);
  }
  return respondEnding(
    story,
    claimed,
    await orUnknown(story, fulfil(claimed, { ...story, standing }, true), claimed.id),
    false,
  );
}

/** @throws ApiError service_unavailable or provider_unconfigured (503) when nothing can be paid, or had, now */
function refuseToOffer(rail: AnyRail, operation: Operation): void {
  if (!isPrepaid(rail) && payments().desk.offered().length === 0)
    throw new ApiError('service_unavailable', { retryAfterSeconds: 30 });
  if (!isAvailable(operation)) throw new ApiError('provider_unconfigured');
}

async function findReplay(story: Story<Operation>): Promise<PaidCall | null> {
  const { payment } = story.credential;
  // When the ledger cannot be asked, this payment may well have been charged by the request that this one repeats.
  const earlier = await orUnknown(story, findEarlier(payment, story.asked.idempotencyKey));
  return recogniseReplay(earlier, story.asked);
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

/** @returns a reason code, or the height of the chain that finds nothing wrong */
async function refusalOf(credential: Recognised, body: Uint8Array): Promise<string | Good> {
  return refusalByBody(credential, body) ?? credential.refusal ?? refusalByChain(credential.payment);
}

/**
 * A payment that is verified before its turn, because its request has to wait and payments that are good go first. Only a
 * good one counts then; any other is verified when it is its turn.
 */
function earlyVerification(credential: Recognised, body: Uint8Array) {
  let good: Good | null = null;
  return {
    async isGood(): Promise<boolean> {
      const refusal = await refusalOf(credential, body);
      if (typeof refusal !== 'string') good = refusal;
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
 * @returns a reason code, or the height of the chain that finds nothing wrong
 * @throws ApiError too_many_failed_settlements (429) for a payer that has cost too much gas
 */
async function refusalByChain(payment: Payment): Promise<string | Good> {
  const settler = payments().openSettlerAt(payment.network);
  if (!settler) throw new ApiError('service_unavailable', { retryAfterSeconds });
  const verification = await settler.verify(payment).catch((error: unknown) => {
    log().error({ network: payment.network, error: describeError(error) }, 'a payment could not be verified');
    throw new ApiError('service_unavailable', { retryAfterSeconds, cause: error });
  });
  if (verification.ok) return verification;
  if (verification.retryAfterSeconds === undefined) return verification.reason;
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

/** A repetition gets the first answer: the stored one, or that of the work that it waits for or carries on itself. */
async function replay<Op extends Operation>(story: Story<Op>, first: PaidCall): Promise<Response> {
  const deadline = Date.now() + waitForFirstMs;
  let call = first;
  for (let waitMs = lookAgainMs.first; ; waitMs = Math.min(waitMs * lookAgainMs.growth, lookAgainMs.most)) {
    if (call.answer) return respondEnding(story, call, storedEnding(call), true);
    if (isFinished(call)) return respondEnding(story, call, await fulfil(call, story, false), true);
    const underWay = workUnderWay(call.id);
    if (underWay) {
      const ending = await Promise.race([underWay.catch(() => null), pause(deadline - Date.now())]);
      if (ending) return respondEnding(story, call, toldToAnother(ending), true);
    } else {
      const taken = await orUnknown(story, takeOver(call, instanceId()), call.id);
      if (taken)
        return respondEnding(
          story,
          taken,
          await orUnknown(story, fulfil(taken, story, false), taken.id),
          true,
        );
    }
    if (Date.now() >= deadline) {
      throw new ApiError(codesFor(story).inProgress, { paidCallId: call.id, retryAfterSeconds });
    }
    await pause(waitMs);
    call = (await orUnknown(story, findPaidCall(call.id), call.id)) ?? call;
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
