import { repeat } from '@/lib/concurrency/repeat';
import type { OperatorApp } from '@/lib/operator/app';
import { idleCallReleaser } from '@/lib/operator/idle-calls';
import { startWorker } from '@/lib/operator/worker';
import { checkNetworks, networkMaintenance, ownNetworks } from './networks';

/** A started app. */
export interface RunningApp {
  /** Ends long polls, so that a stopping server can finish its requests. */
  endWaits(): Promise<void>;
  /** Ends everything. Another instance, or the next start, finishes interrupted work. */
  stop(): Promise<void>;
}

/** Starts the heartbeat, the background tasks and, if wanted, the jobs. */
export async function startApp(app: OperatorApp, { doesJobs }: { doesJobs: boolean }): Promise<RunningApp> {
  const stopHeartbeat = await app.instance.start(ownNetworks(app));
  const [worker] = await Promise.all([
    doesJobs ? startWorker(app) : null,
    checkNetworks(app),
    app.storeHealth.check(),
  ]);
  const { upkeep } = app.timings;
  // Tasks that each app does for itself. Those that are done once for all apps are jobs.
  const stops = [
    repeat(app, 'check networks', upkeep.checkNetworksMs, () => checkNetworks(app)),
    repeat(app, 'check the store', upkeep.checkStoreMs, () => app.storeHealth.check()),
    repeat(app, 'maintain networks', upkeep.maintainNetworksMs, networkMaintenance(app)),
    repeat(app, 'release idle calls', upkeep.releaseIdleCallsMs, idleCallReleaser(app)),
  ];
  return {
    endWaits: () => app.responseSignals.end(),
    async stop() {
      await Promise.all([worker?.stop(), ...stops.map((stop) => stop())]);
      await stopHeartbeat();
      await closeApp(app);
    },
  };
}

/** Closes the threads, browsers and connections of an app. */
export async function closeApp({ printing, reading, threads, db }: OperatorApp): Promise<void> {
  await Promise.all([printing.close(), reading.close(), threads.close()]);
  await db.$disconnect();
}
