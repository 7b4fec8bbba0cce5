import type { HttpApp } from '@/lib/http/app';
import { configuredOffers, isEvmOffer, type Offer } from '@/lib/payments/networks';
import type { Settler } from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';

/** The networks for which this app has a settlement key, so that it can settle for others too. */
export function ownNetworks({ settings }: Pick<HttpApp, 'settings'>): string[] {
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
export function networkMaintenance(app: HttpApp): () => Promise<void> {
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
