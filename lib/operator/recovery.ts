import { fulfil } from '@/lib/http/fulfil';
import { abandonedCalls, takeOver } from '@/lib/ledger/paid-call';
import { describeError, log } from '@/lib/log';
import { instanceId } from '@/lib/runtime/instance';
import { workFor } from './services';

const callsPerRound = 50;
const atOnce = 8;

/**
 * Finishes calls that nobody works on any more: those of a dead instance, those whose outcome was unknown, those that
 * could not be delivered. Nobody has to ask for it.
 * @returns how many calls were looked at
 */
export async function recoverCalls(now: Date): Promise<number> {
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
