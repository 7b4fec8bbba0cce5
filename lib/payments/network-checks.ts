import { repeat } from '@/lib/platform/concurrency/repeat';
import type { Platform } from '@/lib/platform/platform';
import type { Payments } from './app-payments';

interface CheckedPayments {
  readonly payments: Pick<Payments, 'features' | 'networks' | 'watch'>;
}

/** Checks every network and feature once. One that fails is logged and not offered until a later check passes. */
export async function checkNetworks(app: CheckedPayments): Promise<void> {
  await Promise.all([
    ...app.payments.features.map((feature) => feature.check()),
    ...app.payments.networks.all().map((offer) => app.payments.watch.check(offer)),
  ]);
}

/**
 * Checks each network and feature regularly, a network also at once when the last of its RPCs begins to hang or the first
 * answers again. A slow network does not delay the checks of others.
 * @returns a function that ends this and waits for the current checks
 */
export function watchNetworks(
  app: CheckedPayments & Pick<Platform, 'clock' | 'problems' | 'timings'>,
): () => Promise<void> {
  const { features, networks, watch } = app.payments;
  const every = (name: string, check: () => Promise<void>) =>
    repeat(app, `check ${name}`, app.timings.upkeep.checkNetworksMs, check);
  const checks = networks.all().map((offer) => {
    const check = every(offer.network.name, () => watch.check(offer));
    offer.nodes.onUsabilityChange(check.now);
    return check;
  });
  const all = [...checks, ...features.map((feature) => every(feature.scheme.name, () => feature.check()))];
  return async () => {
    await Promise.all(all.map((check) => check.stop()));
  };
}
