import type { HttpApp, RunningApp } from '@/lib/http/http-app';
import { idleCallReleaser } from '@/lib/jobs/idle-calls';
import { openWorker } from '@/lib/jobs/job-worker';
import { pollForWork } from '@/lib/jobs/poll-for-work';
import { settleForSiblings } from '@/lib/jobs/settle-for-siblings';
import { settlementTasks } from '@/lib/jobs/settlement-tasks';
import { beatAndFindWork, type DueWork } from '@/lib/ledger/due-work';
import type { OperatorApp } from '@/lib/operator/operator-app';
import { checkNetworks, watchNetworks } from '@/lib/payments/network-checks';
import { repeat } from '@/lib/platform/concurrency/repeat';
import { type Task, task } from '@/lib/platform/concurrency/task';
import { closeDatabase } from '@/lib/platform/database/database';
import { claimInstallation } from '@/lib/platform/database/installation';
import { observers } from './features';

/** Starts the heartbeat, the background tasks and, if wanted, the jobs. */
export async function startApp(app: OperatorApp, { doesJobs }: { doesJobs: boolean }): Promise<RunningApp> {
  await claimInstallation(app);
  for (const open of observers) await open(app);
  const withdraw = await app.instance.start(ownNetworks(app));
  const worker = doesJobs ? await openWorker(app) : null;
  // Work that each app does for itself. Work that is done once for all apps is a job.
  let ownTasks: readonly Task<[DueWork]>[] = [];
  const networks = app.payments.networks.all().map(({ network }) => network.name);
  const ask = () => beatAndFindWork(app, networks, app.clock.date());
  const stopPolling = pollForWork(app, ask, (work) => {
    app.pausedOperations.update(work.pausedOperations);
    worker?.start(work);
    for (const own of ownTasks) void own.run(work);
  });
  await Promise.all([checkNetworks(app), app.storeHealth.check(), app.pausedOperations.refresh()]);
  ownTasks = [
    ...settlementTasks(app, app.payments.networks),
    task(app, 'release idle calls', idleCallReleaser(app)),
  ];
  const { upkeep } = app.timings;
  const stops = [
    watchNetworks(app),
    repeat(app, 'check the store', upkeep.checkStoreMs, () => app.storeHealth.check()).stop,
    settleForSiblings(app),
    ...app.payments.features.flatMap(({ tasks }) =>
      tasks.map(({ name, everyMs, run }) => repeat(app, name, everyMs, run).stop),
    ),
  ];
  return {
    endWaits: () => app.responseSignals.end(),
    async stop() {
      const stopping = ownTasks;
      ownTasks = [];
      // The heartbeat continues while the last runs end.
      await Promise.all([
        worker?.stop(),
        ...stops.map((stop) => stop()),
        ...stopping.map((own) => own.end()),
      ]);
      await stopPolling();
      await withdraw();
      await closeApp(app);
    },
  };
}

/** Closes the threads, browsers and connections of an app. */
export async function closeApp(app: OperatorApp): Promise<void> {
  const { printing, reading, threads, linkTraffic } = app;
  await Promise.all([
    ...[printing.close(), reading.close(), threads.close(), linkTraffic.end()],
    app.metrics.observer?.close(),
  ]);
  await closeDatabase(app);
}

/** The networks for which this app has a settlement key, so that it can settle for others too. */
function ownNetworks({ payments, settings }: HttpApp): string[] {
  if (!settings.SETTLEMENT_KEYS_EVM) return [];
  return payments.networks
    .all()
    .filter(({ settler }) => settler.kind === 'evm')
    .map(({ network }) => network.name);
}
