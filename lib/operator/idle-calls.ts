import { instanceId } from '@/lib/app/instance';
import { workUnderWay } from '@/lib/http/fulfil';
import { heldCalls, release } from '@/lib/ledger/paid-call';

/** What the last look found held by this process and not worked on. */
let idleBefore: ReadonlySet<string> = new Set();

/**
 * Lets go of the calls that this process holds and does not work on: a claim whose answer was lost, or a release that
 * did not get through. Seen in one look a call may be on its way to work; seen in two it is not. Every process does this
 * for itself, because nobody else knows what it works on.
 */
export async function releaseIdleCalls(): Promise<void> {
  const held = await heldCalls(instanceId());
  const idle = new Set(held.filter((id) => !workUnderWay(id)));
  const forgotten = [...idle].filter((id) => idleBefore.has(id));
  idleBefore = idle;
  await Promise.all(forgotten.map((id) => release(id, instanceId(), new Date())));
}
