import { awaitsDelivery } from '@/lib/ledger/states';
import { describeError } from '@/lib/platform/log';
import type { CallDeps } from './call-deps';
import type { NextAttempt } from './call-store';
import type { PaidCall } from './paid-call';
import { retryDelayMs } from './retry-policy';

/**
 * Leaves an unfinished call to recovery. Best effort: if the database is down, the instance's heartbeat stops and
 * others take over.
 * @param call in the state in which it was attempted. `attempts` counts those of recovery only, so retries by the
 *   client do not delay recovery.
 * @param options a note for callers and operators, and the latest time of the next attempt
 */
export async function scheduleRetry(
  deps: Pick<CallDeps, 'calls' | 'clock' | 'timings' | 'log'>,
  { id, attempts, state }: Pick<PaidCall, 'id' | 'attempts' | 'state'>,
  { note, untilMs = Number.POSITIVE_INFINITY }: { note?: string; untilMs?: number } = {},
): Promise<void> {
  const isDelivery = awaitsDelivery(state);
  const delayMs = retryDelayMs(deps.timings, attempts, isDelivery ? 'delivery' : 'charge');
  const attemptAt = new Date(Math.min(deps.clock.now() + delayMs, untilMs));
  await releaseCall(deps, id, { attempts, attemptAt, isDelivery, note });
}

/** Sets when recovery looks at a call next, and releases it. Best effort, as above. */
export async function releaseCall(
  { calls, log }: Pick<CallDeps, 'calls' | 'log'>,
  id: string,
  next: NextAttempt,
): Promise<void> {
  await calls.postpone(id, next).catch((error: unknown) => {
    log.error({ paidCallId: id, error: describeError(error) }, 'a call could not be released');
  });
}
