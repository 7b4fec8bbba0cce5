import { fulfil, workUnderWay } from '@/lib/http/fulfil';
import { abandonedCalls, heldCalls, release, takeOver } from '@/lib/ledger/paid-call';
import { describeError, log } from '@/lib/log';
import { instanceId } from '@/lib/runtime/instance';
import { workFor } from './services';

const callsPerRound = 50;
const atOnce = 8;

/** What the last round found held by this process and not worked on. */
let idleBefore: ReadonlySet<string> = new Set();

/**
 * Finishes calls that nobody works on any more: those of a dead instance, those whose outcome was unknown, those that
 * could not be delivered; and those of this process that a lost answer of the database left in its name. Nobody has to
 * ask for it.
 * @returns how many calls were looked at
 */
export async function recoverCalls(now: Date): Promise<number> {
  await releaseIdleCalls(now);
  const calls = await abandonedCalls(now, callsPerRound);
  const queue = [...calls];
  const lanes = Array.from({ length: atOnce }, async () => {
    for (let call = queue.shift(); call; call = queue.shift()) {
      const work = workFor(call.operation);
      const taken = work ? await takeOver(call, instanceId(), new Date()) : null;
      if (!work || !taken) continue;
      try {
        const ending = await fulfil(taken, work, false);
        log().info({ paidCallId: taken.id, ending: ending.kind }, 'an abandoned call was taken up');
      } catch (error) {
        log().error({ paidCallId: taken.id, error: describeError(error) }, 'a call could not be recovered');
      }
    }
  });
  await Promise.all(lanes);
  return calls.length;
}

/**
 * A claim whose answer was lost, or a release that did not get through, leaves a call held by a process that does not
 * work on it. Seen in one round it may be on its way to work; seen in two it is not.
 */
async function releaseIdleCalls(now: Date): Promise<void> {
  const held = await heldCalls(instanceId());
  const idle = new Set(held.filter((id) => !workUnderWay(id)));
  const forgotten = [...idle].filter((id) => idleBefore.has(id));
  idleBefore = idle;
  await Promise.all(forgotten.map((id) => release(id, instanceId(), now)));
}
