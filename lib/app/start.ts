import { repeat } from '@/lib/concurrency/repeat';
import type { OperatorApp } from '@/lib/operator/app';
import { idleCallReleaser } from '@/lib/operator/idle-calls';
import { startWorker } from '@/lib/operator/worker';
import { checkNetworks, networkMaintenance, ownNetworks } from './networks';

/** An app that has been started. */
export interface RunningApp {
  /** Ends long polls, so that a server can stop accepting requests and finish those under way. */
  endWaits(): Promise<void>;
  /** Ends everything. What is cut off is finished by another instance, or after the next start. */
  stop(): Promise<void>;
}

/**
 * Starts an app: its heartbeat, the checks of networks and store, and, where it does jobs, its share of them.
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
    endWaits: () => app.responseSignals.end(),
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
