import { workUnderWay } from '@/lib/calls/advance-call';
import type { DueWork } from '@/lib/ledger/due-work';
import { heldCalls, release } from '@/lib/ledger/unfinished-calls';
import type { JobsApp } from './jobs';

/**
 * Returns the task that releases calls which this app holds but does not work on, because the response to a claim or a
 * release was lost. A call counts as idle when two checks in a row find it so, because a new call may be between its
 * claim and its work. Every app does this for itself, because only it knows what it works on.
 */
export function idleCallReleaser(app: JobsApp): (work: Pick<DueWork, 'holdsCalls'>) => Promise<void> {
  let idleBefore: ReadonlySet<string> = new Set();
  let checkAt = 0;
  return async ({ holdsCalls }) => {
    if (app.clock.monotonic() < checkAt) return;
    checkAt = app.clock.monotonic() + app.timings.upkeep.releaseIdleCallsMs;
    const held = holdsCalls ? await heldCalls(app, app.instance.id) : [];
    const idle = new Set(held.filter((id) => !workUnderWay(app, id)));
    const forgotten = [...idle].filter((id) => idleBefore.has(id));
    idleBefore = idle;
    await Promise.all(forgotten.map((id) => release(app, id, app.instance.id, app.clock.date())));
  };
}
