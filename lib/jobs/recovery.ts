import type { CallRuns } from '@/lib/calls/advance-call';
import type { FindCallService } from '@/lib/calls/call-service';
import type { AbandonedCall, CallStore } from '@/lib/calls/call-store';
import { isRetryLimitReached, scheduleRetry } from '@/lib/calls/retry-policy';
import { awaitsDelivery } from '@/lib/ledger/states';
import type { Clock } from '@/lib/platform/clock';
import { describeError, type Logger } from '@/lib/platform/log';
import type { Timings } from '@/lib/platform/timings';

/** What recovery uses. */
export interface RecoveryDeps {
  readonly calls: CallStore;
  readonly runs: CallRuns;
  readonly findCallService: FindCallService;
  readonly recovery: RecoverySlots;
  readonly clock: Clock;
  readonly timings: Timings;
  readonly log: Logger;
}

/** How many calls one app recovers at once. Many, because most of the time is spent waiting for a chain. */
const atOnce = 32;

/** The number of calls that an app is recovering. */
export class RecoverySlots {
  #taken = 0;

  get free(): number {
    return atOnce - this.#taken;
  }

  /** Whether this app recovers as many calls as it may. */
  get isFull(): boolean {
    return this.free <= 0;
  }

  /** Runs `work` with this many slots taken. */
  async take<T>(slots: number, work: () => Promise<T>): Promise<T> {
    this.#taken += slots;
    try {
      return await work();
    } finally {
      this.#taken -= slots;
    }
  }
}

/**
 * Finishes calls that no process works on: those of a dead process, with an unknown outcome, or not delivered. May be
 * called again before it is done, so slow calls do not hold up others.
 */
export async function recoverCalls(deps: RecoveryDeps, now: Date): Promise<void> {
  const { recovery } = deps;
  for (let free = recovery.free; free > 0; free = recovery.free) {
    const calls = await recovery.take(free, () => deps.calls.abandonedCalls(now, free));
    const attempted = await Promise.all(calls.map((call) => recovery.take(1, () => recover(deps, call))));
    // A call whose attempt failed would be found again at once.
    if (calls.length < free || attempted.includes(false)) return;
  }
}

/** @returns false when it failed for any reason; true even for a call that another process has taken */
async function recover(deps: RecoveryDeps, call: AbandonedCall): Promise<boolean> {
  const attempts = call.attempts + 1;
  try {
    const taken = await deps.calls.takeOverForRecovery(call);
    if (!taken) return true;
    if (taken.state === 'claimed') {
      // Nothing was submitted. The client may retry, and is not charged if it does not.
      await deps.calls.recordUnprepared(taken, 'service_unavailable', deps.clock.date());
      return true;
    }
    if (awaitsDelivery(taken.state) && isRetryLimitReached(call.attempts)) {
      // A failed attempt at the limit ends the call, so the last attempt must have crashed its process.
      deps.log.error(
        { paidCallId: call.id },
        'a call is not attempted again: too many attempts were interrupted',
      );
      await deps.calls.recordNeedsAttention(taken, 'recovery_interrupted', deps.clock.date());
      return true;
    }
    if (!taken.isReadable) throw new UnreadableCall();
    const service = deps.findCallService(taken.operation);
    if (!service) throw new Error(`${taken.operation} is no longer offered`);
    const result = await deps.runs.advance(taken, { service, isRecovery: true }, false);
    deps.log.info({ paidCallId: call.id, result: result.kind, attempts }, 'an abandoned call was resumed');
    return true;
  } catch (error) {
    deps.log.error(
      { paidCallId: call.id, attempts, error: describeError(error) },
      'a call could not be recovered',
    );
    const reason = error instanceof UnreadableCall ? 'data_key_missing' : 'recovery_failed';
    await giveUp(deps, { ...call, attempts }, reason);
    return false;
  }
}

/** A call has content that no DATA_KEY opens. */
class UnreadableCall extends Error {
  override readonly message = 'no DATA_KEY opens its content';
}

/** Schedules another attempt, or leaves a paid call to the operator after too many. */
async function giveUp(
  deps: RecoveryDeps,
  call: AbandonedCall,
  reason: 'data_key_missing' | 'recovery_failed',
): Promise<void> {
  if (awaitsDelivery(call.state) && isRetryLimitReached(call.attempts)) {
    await deps.calls
      .recordNeedsAttention(call, reason, deps.clock.date())
      .catch(() => scheduleRetry(deps, call));
  } else {
    await scheduleRetry(deps, call);
  }
}
