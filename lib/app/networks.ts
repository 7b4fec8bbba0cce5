import type { HttpApp } from '@/lib/http/app';
import { configuredOffers, isEvmOffer, type Offer } from '@/lib/payments/networks';
import type { Settler } from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';

/** The networks on which this app can settle for others too: it has a key of ours for them. */
export function ownNetworks({ settings }: Pick<HttpApp, 'settings'>): string[] {
  const hasKey = (offer: Offer) => isEvmOffer(offer) && !offer.facilitatorUrl && settings.SETTLEMENT_KEYS_EVM;
  return configuredOffers(settings)
    .filter(hasKey)
    .map(({ network }) => network.name);
}

/** Checks every network; what fails is left out of challenges, loudly, until a later check passes. */
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

/** Makes the task that looks after every network: what others enqueued for its signer, what nobody follows. Run in short turns. */
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
      failure.report('error', { network, error: describeError(error) }, 'settlements are not looked after'),
  );
}
