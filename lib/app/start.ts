import { repeat } from '@/lib/concurrency/repeat';
import type { HttpApp } from '@/lib/http/app';
import type { OperatorApp } from '@/lib/operator/app';
import { idleCallReleaser } from '@/lib/operator/idle-calls';
import { startWorker } from '@/lib/operator/worker';
import { configuredOffers, isEvmOffer, type Offer } from '@/lib/payments/networks';
import type { Settler } from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';

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

/** The networks for which this app has a settlement key, so that it can settle for others too. */
function ownNetworks({ settings }: Pick<HttpApp, 'settings'>): string[] {
  const hasKey = (offer: Offer) => isEvmOffer(offer) && !offer.facilitatorUrl && settings.SETTLEMENT_KEYS_EVM;
  return configuredOffers(settings)
    .filter(hasKey)
    .map(({ network }) => network.name);
}

/** Checks every network. One that fails is logged and not offered until a later check passes. */
export async function checkNetworks({ payments: { networks }, log }: HttpApp): Promise<void> {
  await Promise.all(
    networks.all().map(async ({ network, settler }) => {
      const problems = await settler.check().catch((error: unknown) => [describeError(error).message]);
      const isNews = problems.join() !== networks.problems(network.name).join();
      networks.report(network.name, problems);
      if (!isNews) return;
      if (problems.length > 0) log.error({ network: network.name, problems }, 'this network is not offered');
      else log.info({ network: network.name }, 'this network is offered');
    }),
  );
}

/** Returns the task that settles queued charges and follows abandoned transactions on every network. */
function networkMaintenance(app: HttpApp): () => Promise<void> {
  let lastAt = 0;
  return async () => {
    const now = app.clock.date();
    if (!app.instance.hasPeers() && now.getTime() - lastAt < app.timings.upkeep.maintainNetworksAloneMs)
      return;
    lastAt = now.getTime();
    const offers = app.payments.networks.all();
    await Promise.all(offers.map(({ network, settler }) => maintain(app, network.name, settler, now)));
  };
}

async function maintain(app: HttpApp, network: string, settler: Settler, now: Date): Promise<void> {
  const failure = app.problems.get(`upkeep of ${network}`);
  await settler.maintain(now).then(
    () => failure.end({ network }),
    (error: unknown) =>
      failure.report('error', { network, error: describeError(error) }, 'settlements are not maintained'),
  );
}
