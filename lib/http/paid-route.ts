import { instanceId } from '@/lib/app/instance';
import { payments } from '@/lib/app/payments';
import type { Operation, RailName } from '@/lib/catalog/operation';
import { ApiError } from '@/lib/errors/api-error';
import { claim, claimAgain } from '@/lib/ledger/claim';
import type { PaidCall } from '@/lib/ledger/paid-call';
import type { Asking } from '@/lib/payments/rail';
import { isPrepaid } from '@/lib/payments/rail';
import { newId } from '@/lib/platform/ids';
import type { Service } from '@/lib/services/service';
import type { Requester } from '@/lib/threads';
import { acceptInput } from './accept-input';
import { admit, earlyVerification, refusalByBody, refuseToOffer } from './admission';
import { findReplay, replay, replayOfAnother } from './answer-replay';
import { readBytes } from './body';
import { clientAddressOf } from './client-address';
import { fulfil } from './fulfil';
import { readIdempotencyKey } from './idempotency-key';
import { allowHeader, respondMethodNotAllowed } from './method-not-allowed';
import { canBeginAgain } from './preparation';
import { atItsPrice } from './priced';
import type { Asked } from './replay';
import { requestIdOf, respondError } from './respond';
import { askForPayment, respondEnding } from './respond-ending';
import { type SignedWork, signedWork } from './signed-work';
import { type AnyRail, orUnknown, retryAfterSeconds, type Story } from './story';

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

/** The steps of a paid call, in their order. */
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
