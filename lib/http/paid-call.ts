import type { Operation, RailName } from '@/lib/catalog/operation';
import { ApiError } from '@/lib/errors/api-error';
import type { HttpApp } from '@/lib/http/app';
import { claim, claimAgain } from '@/lib/ledger/claim';
import type { PaidCall } from '@/lib/ledger/paid-call';
import type { Asking } from '@/lib/payments/rail';
import { isPrepaid } from '@/lib/payments/rail';
import { newId } from '@/lib/platform/ids';
import type { ServicesApp } from '@/lib/services';
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
import { SignedWork } from './signed-work';
import { type AnyRail, orUnknown, retryAfterSeconds, type Story } from './story';

/** The parts of a path that vary, by name. */
export type PathParams = Record<string, string | string[] | undefined>;

/** A request as it came in. */
interface Incoming {
  readonly request: Request;
  readonly requestId: string;
  readonly params: PathParams;
  readonly work: SignedWork;
}

/** Answers a request to a paid operation on one of its rails. Never rejects. */
export async function answerPaid<Op extends Operation>(
  app: HttpApp,
  service: Service<Op, ServicesApp>,
  railName: RailName,
  request: Request,
  params: PathParams,
): Promise<Response> {
  const { operation } = service;
  // A framework may call the handler of GET for HEAD: that would be paid for, and its answer thrown away.
  if (request.method !== operation.method)
    return respondMethodNotAllowed(app, request, allowHeader([operation.method]));
  const requestId = requestIdOf(request);
  const work = new SignedWork(app.standings, app.throttle);
  let response: Response;
  try {
    response = await answer(app, operation, app.payments.rails[railName], service, {
      request,
      requestId,
      params,
      work,
    });
  } catch (error) {
    response = respondError(app, error, requestId);
  }
  await work.end(response.status);
  response.headers.set('Request-Id', requestId);
  return response;
}

/** The steps of a paid call, in their order. */
async function answer<Op extends Operation>(
  app: HttpApp,
  sold: Op,
  rail: AnyRail,
  service: Service<Op, ServicesApp>,
  { request, requestId, params, work }: Incoming,
): Promise<Response> {
  const asking = askingOf(request, sold);
  const operation = await atItsPrice(sold, asking);
  const now = app.clock.date();

  const credential = await rail.read(operation, request.headers, now);
  if (credential.kind === 'unauthorized') throw new ApiError(credential.code);
  if (credential.kind === 'invalid') {
    const { path, rule } = credential;
    throw new ApiError('invalid_input', { reason: 'invalid_input', issues: [{ path, rule }] });
  }
  // What cannot be had or paid now is not offered. Who has paid for it before still gets what it came to.
  if (credential.kind !== 'recognised') refuseToOffer(app, rail, operation);
  if (credential.kind === 'none') return askForPayment(rail, operation, asking, null);
  if (credential.kind === 'unusable') return askForPayment(rail, operation, asking, credential);

  const body = await asking.body();
  const recognised = credential.credential;
  const paid = {
    payment: recognised.payment,
    refusal: refusalByBody(recognised, body) ?? recognised.refusal,
  };
  const early = earlyVerification(app, paid);
  const requester: Requester = {
    address: clientAddressOf(app, request),
    payer: recognised.payment.payer,
    standing: 'signed',
    isPaying: early.isGood,
  };
  await work.begin(requester);
  const { input, requestHash } = await acceptInput(app, operation, service, body, params, requester);
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

  const earlier = await findReplay(app, story);
  const again = earlier && canBeginAgain(earlier.call) ? earlier.call : null;
  const replayed = earlier && !again ? await replay(app, story, earlier) : null;
  if (replayed) return replayed;

  const admission = await admit(app, story, early.found, requester, now).catch(async (error: unknown) => {
    const replayedMeanwhile = await replayOfAnother(app, story);
    if (replayedMeanwhile) return replayedMeanwhile;
    throw error;
  });
  if (admission instanceof Response) return admission;

  const { verification, standing } = admission;
  const claimed = await claimCall(app, story, verification.height, again);
  if (!claimed) {
    const winner = await findReplay(app, story);
    const answered = winner && (await replay(app, story, winner));
    if (!answered) throw new ApiError('service_unavailable', { retryAfterSeconds });
    return answered;
  }
  return respondEnding(
    app,
    story,
    claimed,
    await orUnknown(story, fulfil(app, claimed, { ...story, standing }, true), claimed.id),
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
  app: HttpApp,
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
  const claiming = (again ? claimAgain : claim)(app, entry, app.instance.id, app.clock.date());
  // A claim whose answer is lost may have been written all the same; then recovery ends it.
  return orUnknown(story, claiming, entry.id);
}
