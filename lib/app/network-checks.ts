import type { HttpApp } from '@/lib/http/http-app';

/** Checks every network and feature once. One that fails is logged and not offered until a later check passes. */
export async function checkNetworks(app: HttpApp): Promise<void> {
  await Promise.all([
    ...app.payments.features.map((feature) => feature.check()),
    ...app.payments.networks.all().map((offer) => app.payments.watch.check(offer)),
  ]);
}

/**
 * Checks each network and feature regularly, a network and at once when the last of its RPCs begins to hang or the first answers again. A slow
 * network does not delay the checks of others.
 * @returns a function that ends this and waits for the current checks
 */
export function watchNetworks(app: HttpApp): () => Promise<void> {
  const { checkNetworksMs } = app.timings.upkeep;
  const stops = app.payments.networks.all().map((offer) => {
    const { stop, now } = atFixedRate(app, checkNetworksMs, () => app.payments.watch.check(offer));
    offer.nodes.onUsabilityChange(now);
    return stop;
  });
  const others = app.payments.features.map(
    (feature) => atFixedRate(app, checkNetworksMs, () => feature.check()).stop,
  );
  return async () => {
    await Promise.all([...others, ...stops].map((stop) => stop()));
  };
}

/** Repeats work that never rejects, from start to start, one run at a time. `now` starts a run that is not due yet. */
function atFixedRate({ clock }: Pick<HttpApp, 'clock'>, everyMs: number, work: () => Promise<void>) {
  let running: Promise<void> | null = null;
  let isWanted = false;
  let isStopped = false;
  let cancel = clock.after(everyMs, () => run());
  const run = () => {
    cancel();
    const startedAt = clock.monotonic();
    running = work().then(() => {
      running = null;
      if (isStopped) return;
      const waitMs = isWanted ? 0 : Math.max(0, startedAt + everyMs - clock.monotonic());
      isWanted = false;
      cancel = clock.after(waitMs, run);
    });
  };
  return {
    now: () => {
      if (isStopped) return;
      if (running) isWanted = true;
      else run();
    },
    stop: async () => {
      isStopped = true;
      cancel();
      await running;
    },
  };
}
