import { workUnderWay } from '@/lib/http/advance-call';
import { heldCalls, release } from '@/lib/ledger/paid-call';
import type { OperatorApp } from './app';

/**
 * Makes the task that releases the calls that this app holds and does not work on: a claim whose answer was lost, or a
 * release that did not get through. Seen in one look a call may be on its way to work; seen in two it is not. Every app
 * does this for itself, because nobody else knows what it works on.
 */
export function idleCallReleaser(app: OperatorApp): () => Promise<void> {
  let idleBefore: ReadonlySet<string> = new Set();
  return async () => {
    const held = await heldCalls(app, app.instance.id);
    const idle = new Set(held.filter((id) => !workUnderWay(app, id)));
    const forgotten = [...idle].filter((id) => idleBefore.has(id));
    idleBefore = idle;
    await Promise.all(forgotten.map((id) => release(app, id, app.instance.id, app.clock.date())));
  };
}
