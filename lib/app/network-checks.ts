import type { HttpApp } from '@/lib/http/http-app';
import { repeat } from '@/lib/platform/concurrency/repeat';

/** Checks every network and feature once. One that fails is logged and not offered until a later check passes. */
export async function checkNetworks(app: HttpApp): Promise<void> {
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
export function watchNetworks(app: HttpApp): () => Promise<void> {
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
