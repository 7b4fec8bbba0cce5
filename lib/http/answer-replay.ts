import type { Operation } from '@/lib/catalog/operation';
import { ApiError } from '@/lib/errors/api-error';
import type { HttpApp } from '@/lib/http/app';
import { findEarlier, findPaidCall, type PaidCall, takeOver } from '@/lib/ledger/paid-call';
import { openStates } from '@/lib/ledger/states';
import { type CallResult, fulfil, storedEnding, workUnderWay } from './fulfil';
import { canBeginAgain, refusedEnding } from './preparation';
import { checkRefusal } from './refusal';
import { isPaymentOf, type Recognition, recogniseReplay } from './replay';
import { respondEnding } from './respond-ending';
import { codesFor, orUnknown, retryAfterSeconds, type Story } from './story';

const lookAgainMs = { first: 50, most: 500, growth: 1.5 };

/** The earlier call that a request repeats; null when it is new. */
export async function findReplay(app: HttpApp, story: Story<Operation>): Promise<Recognition | null> {
  const { payment } = story.credential;
  // When the ledger cannot be asked, this payment may well have been charged by the request that this one repeats.
  const earlier = await orUnknown(story, findEarlier(app, payment, story.asked.idempotencyKey));
  return recogniseReplay(earlier, story.asked);
}

/**
 * What the same request, a moment ahead of us, has come to; null when there is none. It may have been charged since we
 * looked, and be the reason why the chain or the service refuses us: so before a request is told that nothing was charged.
 */
export async function replayOfAnother(app: HttpApp, story: Story<Operation>): Promise<Response | null> {
  const winner = await findReplay(app, story);
  return winner && !canBeginAgain(winner.call) ? replay(app, story, winner) : null;
}

/**
 * A repetition gets the first answer: the stored one, or that of the work that it waits for or carries on itself.
 * @returns null when the first came to nothing for good and the repetition brings another payment, which is a new call
 */
export async function replay<Op extends Operation>(
  app: HttpApp,
  story: Story<Op>,
  { call: first, isProven }: Recognition,
): Promise<Response | null> {
  if (!isProven) return respondUnproven(app, story, first);
  const deadline = app.clock.now() + app.timings.waitForOther.firstCallMs;
  let call = first;
  for (let waitMs = lookAgainMs.first; ; waitMs = Math.min(waitMs * lookAgainMs.growth, lookAgainMs.most)) {
    const ending = await nextEnding(app, story, call, deadline);
    if (ending) return respondReplay(app, story, call, ending);
    if (app.clock.now() >= deadline) {
      throw new ApiError(codesFor(story).inProgress, { paidCallId: call.id, retryAfterSeconds });
    }
    await pause(waitMs);
    call = (await orUnknown(story, findPaidCall(app, call.id), call.id)) ?? call;
  }
}

/** How far a call has come, or comes when this request carries it on; null while somebody else works on it. */
async function nextEnding<Op extends Operation>(
  app: HttpApp,
  story: Story<Op>,
  call: PaidCall,
  deadline: number,
): Promise<CallResult | null> {
  if (call.answer) return storedEnding(call);
  const underWay = workUnderWay(app, call.id);
  if (underWay) {
    const ending = await Promise.race([underWay.catch(() => null), pause(deadline - app.clock.now())]);
    return ending && toldToAnother(ending);
  }
  if (!openStates.includes(call.state)) {
    const ending = await orUnknown(story, fulfil(app, call, story, false), call.id);
    // Its refusal has just come true, and recovery was faster to take it up.
    return call.state === 'refused' && ending.kind === 'undelivered' ? null : ending;
  }
  const taken = await orUnknown(story, takeOver(app, call, app.instance.id), call.id);
  return taken && orUnknown(story, fulfil(app, taken, story, false), taken.id);
}

function respondReplay<Op extends Operation>(
  app: HttpApp,
  story: Story<Op>,
  call: PaidCall,
  ending: CallResult,
): Promise<Response> | null {
  if (ending.kind === 'refused' && !isPaymentOf(call, story.asked.payment)) {
    // Another payment under the key of a refused one: once that one can never be used, this one may be charged.
    if (ending.isFinal) return null;
    if (call.payment.validBefore.getTime() <= app.clock.now())
      throw new ApiError(codesFor(story).inProgress, { paidCallId: call.id, retryAfterSeconds });
  }
  return respondEnding(app, story, call, ending, true);
}

/** Whoever holds a refused payment and nothing else is told whether it was used since; never what came of that. */
async function respondUnproven<Op extends Operation>(
  app: HttpApp,
  story: Story<Op>,
  call: PaidCall,
): Promise<Response> {
  switch (await orUnknown(story, checkRefusal(app, call), call.id)) {
    case 'paid':
      throw new ApiError('payment_already_used', { paidCallId: call.id });
    case 'unknown':
      return respondEnding(app, story, call, { kind: 'unknown' }, true);
    default:
      return respondEnding(app, story, call, refusedEnding(call), true);
  }
}

function pause(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms), null));
}

/** The ending of work that another request has begun, and is told first. */
function toldToAnother(ending: CallResult): CallResult {
  return ending.kind === 'answered' ? { ...ending, isFirst: false } : ending;
}
