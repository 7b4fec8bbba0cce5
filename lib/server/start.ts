import { startHeartbeat } from '@/lib/app/instance';
import { checkNetworks, ownNetworks, tendSettlers } from '@/lib/app/payments';
import { repeat } from '@/lib/concurrency/repeat';
import { db } from '@/lib/db/client';
import { releaseIdleCalls } from '@/lib/operator/idle-calls';
import { startWorker } from '@/lib/operator/worker';
import { readingPool } from '@/lib/reader/pool';
import { responseSignals } from '@/lib/services/forms/response-signals';
import { printingPool } from '@/lib/services/render/chromium/pool';
import { checkStore } from '@/lib/storage/health';

/**
 * Brings a process to work: known as alive, its networks checked, and, where it does jobs, its share of them under way.
 */
export async function startRuntime({
  doesJobs,
}: {
  doesJobs: boolean;
}): Promise<{ letGo(): Promise<void>; stop(): Promise<void> }> {
  const stopHeartbeat = await startHeartbeat(ownNetworks());
  // The first use of a disk store also clears away what dead processes left half-written.
  await Promise.all([checkNetworks(), checkStore()]);
  // What each process does for itself; what is done once for all of them are the jobs.
  const stops = [
    repeat('check networks', 15_000, checkNetworks),
    repeat('check the store', 30_000, checkStore),
    repeat('tend settlers', 250, () => tendSettlers(new Date())),
    repeat('release idle calls', 2_000, releaseIdleCalls),
  ];
  const worker = doesJobs ? await startWorker() : null;
  return {
    /** Ends what waits by intention, so that the server can stop accepting and finish what is under way. */
    letGo: () => responseSignals().end(),
    async stop() {
      await Promise.all([
        worker?.stop(),
        ...stops.map((stop) => stop()),
        printingPool().close(),
        readingPool().close(),
      ]);
      await stopHeartbeat();
      await db().$disconnect();
    },
  };
}
