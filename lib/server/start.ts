import { db } from '@/lib/db/client';
import { describeError, log } from '@/lib/log';
import { reviewSettlements } from '@/lib/operator/finality';
import { recoverCalls } from '@/lib/operator/recovery';
import { closeRefusals } from '@/lib/operator/refusals';
import { startHeartbeat } from '@/lib/runtime/instance';
import { checkNetworks, ownNetworks, tendSettlers } from '@/lib/runtime/payments';
import { store } from '@/lib/storage';
import { expireUploads } from '@/lib/uploads/expire';

/** Repeats a job, never two at once, until it is stopped; a failure is logged and does not end the repetition. */
function repeat(name: string, everyMs: number, job: () => Promise<unknown>): () => Promise<void> {
  let isStopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const run = () => {
    running = job()
      .catch((error: unknown) => log().error({ job: name, error: describeError(error) }, 'a job failed'))
      .then(() => {
        if (!isStopped) timer = setTimeout(run, everyMs);
      });
  };
  timer = setTimeout(run, everyMs);
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}

/** Brings a server process to work: known as alive, networks checked, recovery and expiry under way. */
export async function startRuntime(): Promise<{ stop(): Promise<void> }> {
  // Opened at once, so that it clears away what dead processes left half-written.
  store();
  const stopHeartbeat = await startHeartbeat(ownNetworks());
  await checkNetworks();
  const stops = [
    repeat('check networks', 15_000, checkNetworks),
    repeat('tend settlers', 250, () => tendSettlers(new Date())),
    repeat('review settlements', 5_000, () => reviewSettlements(new Date())),
    repeat('close refusals', 15_000, () => closeRefusals(new Date())),
    repeat('recover calls', 1_000, () => recoverCalls(new Date())),
    repeat('expire uploads', 60_000, () => expireUploads(new Date())),
  ];
  return {
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
      await stopHeartbeat();
      await db().$disconnect();
    },
  };
}
