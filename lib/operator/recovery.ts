import { instanceId } from '@/lib/app/instance';
import { fulfil, putOff } from '@/lib/http/fulfil';
import { isTriedEnough } from '@/lib/http/undeliverable';
import { recordNeedsAttention, recordUnprepared } from '@/lib/ledger/moves';
import { type AbandonedCall, abandonedCalls, takeOver } from '@/lib/ledger/paid-call';
import { awaitsDelivery } from '@/lib/ledger/states';
import { describeError, log } from '@/lib/platform/log';
import { workFor } from '@/lib/services';

/** Calls that one process recovers at once; many, because most of the time goes into waiting for a chain. */
const atOnce = 32;
let underWay = 0;

/** Whether this process already recovers as many calls at once as it may. */
export function isRecoveryFull(): boolean {
  return underWay >= atOnce;
}

/**
 * Finishes calls that nobody works on any more: those of a dead process, those whose outcome was unknown, those that
 * could not be delivered. Nobody has to ask for it. May be called again before it is done: calls that take long do not
 * hold up others.
 */
export async function recoverCalls(now: Date): Promise<void> {
  for (let room = atOnce - underWay; room > 0; room = atOnce - underWay) {
    const calls = await takeRoom(room, () => abandonedCalls(now, room));
    const attempted = await Promise.all(calls.map((call) => takeRoom(1, () => recover(call))));
    // What could not even be attempted would be found again at once.
    if (calls.length < room || attempted.includes(false)) return;
  }
}

async function takeRoom<T>(room: number, work: () => Promise<T>): Promise<T> {
  underWay += room;
  try {
    return await work();
  } finally {
    underWay -= room;
  }
}

/** @returns false when it failed, for whatever reason; a call that somebody else has taken is none of our business */
async function recover(call: AbandonedCall): Promise<boolean> {
  const attempts = call.attempts + 1;
  try {
    const taken = await takeOver(call, instanceId());
    if (!taken) return true;
    if (taken.state === 'claimed') {
      // Nothing has left: whoever asked may ask again, and who does not is not charged behind their back.
      await recordUnprepared(taken, 'service_unavailable', new Date());
      return true;
    }
    const work = workFor(taken.operation);
    if (!work) throw new Error(`${taken.operation} is not sold any more`);
    const ending = await fulfil({ ...taken, attempts }, { ...work, isUnasked: true }, false);
    log().info({ paidCallId: call.id, ending: ending.kind, attempts }, 'an abandoned call was taken up');
    return true;
  } catch (error) {
    log().error(
      { paidCallId: call.id, attempts, error: describeError(error) },
      'a call could not be recovered',
    );
    await giveUp({ ...call, attempts });
    return false;
  }
}

/** Leaves a call to a later attempt; one that is paid and was tried often enough, to the operator. */
async function giveUp(call: AbandonedCall): Promise<void> {
  if (awaitsDelivery(call.state) && isTriedEnough(call.attempts)) {
    await recordNeedsAttention(call, 'recovery_failed', new Date()).catch(() => putOff(call));
  } else {
    await putOff(call);
  }
}
