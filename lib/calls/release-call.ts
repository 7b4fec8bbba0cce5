import { awaitsDelivery } from '@/lib/ledger/states';
import { postpone } from '@/lib/ledger/unfinished-calls';
import { describeError } from '@/lib/platform/log';
import type { NextAttempt } from './call-store';
import type { CallsApp } from './calls-app';
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
  app: CallsApp,
  { id, attempts, state }: Pick<PaidCall, 'id' | 'attempts' | 'state'>,
  { note, untilMs = Number.POSITIVE_INFINITY }: { note?: string; untilMs?: number } = {},
): Promise<void> {
  const isDelivery = awaitsDelivery(state);
  const delayMs = retryDelayMs(app.timings, attempts, isDelivery ? 'delivery' : 'charge');
  const attemptAt = new Date(Math.min(app.clock.now() + delayMs, untilMs));
  await releaseCall(app, id, { attempts, attemptAt, isDelivery, note });
}

/** Sets when recovery looks at a call next, and releases it. Best effort, as above. */
export async function releaseCall(app: CallsApp, id: string, next: NextAttempt): Promise<void> {
  await postpone(app, id, app.instance.id, next).catch((error: unknown) => {
    app.log.error({ paidCallId: id, error: describeError(error) }, 'a call could not be released');
  });
}
