import { repeat } from '@/lib/concurrency/repeat';
import type { OperatorApp } from '@/lib/operator/app';
import { idleCallReleaser } from '@/lib/operator/idle-calls';
import { startWorker } from '@/lib/operator/worker';
import { checkNetworks, networkMaintenance, ownNetworks } from './networks';

/** An app at work. */
export interface RunningApp {
  /** Ends what waits by intention, so that a server can stop accepting and finish what is under way. */
  letGo(): Promise<void>;
  /** Ends everything. What is cut off is taken up by another instance, or by the next start. */
  stop(): Promise<void>;
}

/**
 * Brings an app to work: known as alive, its networks checked, and, where it does jobs, its share of them under way.
 */
export async function startApp(app: OperatorApp, { doesJobs }: { doesJobs: boolean }): Promise<RunningApp> {
  const stopHeartbeat = await app.instance.start(ownNetworks(app));
  await Promise.all([checkNetworks(app), app.storeHealth.check()]);
  const { upkeep } = app.timings;
  // What each app does for itself; what is done once for all of them are the jobs.
  const stops = [
    repeat(app, 'check networks', upkeep.checkNetworksMs, () => checkNetworks(app)),
    repeat(app, 'check the store', upkeep.checkStoreMs, () => app.storeHealth.check()),
    repeat(app, 'maintain networks', upkeep.maintainNetworksMs, networkMaintenance(app)),
    repeat(app, 'release idle calls', upkeep.releaseIdleCallsMs, idleCallReleaser(app)),
  ];
  const worker = doesJobs ? await startWorker(app) : null;
  return {
    letGo: () => app.responseSignals.end(),
    async stop() {
      await Promise.all([worker?.stop(), ...stops.map((stop) => stop())]);
      await stopHeartbeat();
      await closeApp(app);
    },
  };
}

/** Ends the threads, browsers and connections of an app. */
export async function closeApp({ printing, reading, threads, db }: OperatorApp): Promise<void> {
  await Promise.all([printing.close(), reading.close(), threads.close()]);
  await db.$disconnect();
}
