import type { CallRuns } from '@/lib/calls/advance-call';
import type { CallHolds } from '@/lib/calls/call-store';
import type { DueWork } from '@/lib/ledger/due-work';
import type { Clock } from '@/lib/platform/clock';
import type { Timings } from '@/lib/platform/timings';

interface IdleCallsDeps {
  readonly calls: Pick<CallHolds, 'heldCalls' | 'release'>;
  readonly runs: Pick<CallRuns, 'of'>;
  readonly clock: Clock;
  readonly timings: Timings;
}

/**
 * Returns the task that releases calls which this process holds but does not work on, because the response to a claim or a
 * release was lost. A call counts as idle when two checks in a row find it so, because a new call may be between its
 * claim and its work. Every process does this for itself, because only it knows what it works on.
 */
export function idleCallReleaser({
  calls,
  runs,
  clock,
  timings,
}: IdleCallsDeps): (work: Pick<DueWork, 'holdsCalls'>) => Promise<void> {
  let idleBefore: ReadonlySet<string> = new Set();
  let checkAt = 0;
  return async ({ holdsCalls }) => {
    if (clock.monotonic() < checkAt) return;
    checkAt = clock.monotonic() + timings.upkeep.releaseIdleCallsMs;
    const held = holdsCalls ? await calls.heldCalls() : [];
    const idle = new Set(held.filter((id) => !runs.of(id)));
    const forgotten = [...idle].filter((id) => idleBefore.has(id));
    idleBefore = idle;
    await Promise.all(forgotten.map((id) => calls.release(id, clock.date())));
  };
}
