import { inTime } from '@/lib/concurrency/in-time';
import type { HttpApp } from '@/lib/http/app';
import type { AvailableOffer } from '@/lib/payments/network-registry';
import { describeError } from '@/lib/platform/log';

/** Checks every network once. One that fails is logged and not offered until a later check passes. */
export async function checkNetworks(app: HttpApp): Promise<void> {
  await Promise.all([
    checkChannels(app),
    ...app.payments.networks.all().map((offer) => checkNetwork(app, offer)),
  ]);
}

/**
 * Checks each network regularly, and at once when the last of its RPCs begins to hang or the first answers again. A slow
 * network does not delay the checks of others.
 * @returns a function that ends this and waits for the current checks
 */
export function watchNetworks(app: HttpApp): () => Promise<void> {
  const { checkNetworksMs } = app.timings.upkeep;
  const stops = app.payments.networks.all().map((offer) => {
    const { stop, now } = atFixedRate(app, checkNetworksMs, () => checkNetwork(app, offer));
    offer.nodes.onTurn(now);
    return stop;
  });
  const { stop } = atFixedRate(app, checkNetworksMs, () => checkChannels(app));
  return async () => {
    await Promise.all([stop(), ...stops.map((one) => one())]);
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

async function checkNetwork(app: HttpApp, { network, settler }: AvailableOffer): Promise<void> {
  const { networks } = app.payments;
  const problems = await problemsOf(app, () => settler.check());
  const isNews = problems.join() !== networks.problems(network.name).join();
  networks.report(network.name, problems);
  if (!isNews) return;
  if (problems.length > 0) app.log.error({ network: network.name, problems }, 'this network is not offered');
  else app.log.info({ network: network.name }, 'this network is offered');
}

/** Checks the contract of payment channels, which are not offered until it has passed. */
async function checkChannels(app: HttpApp): Promise<void> {
  const { networks, channels } = app.payments;
  if (!channels) return;
  const problems = await problemsOf(app, () => channels.check());
  const isNews = problems.join() !== networks.channelProblems.join();
  networks.reportChannels(problems);
  if (!isNews) return;
  if (problems.length > 0) app.log.error({ problems }, 'payment channels are not offered');
  else app.log.info({ network: app.settings.BATCH_SETTLEMENT }, 'payment channels can be offered');
}

/** What a check finds. One that does not end in time has found a problem too. */
async function problemsOf(
  { clock, timings }: Pick<HttpApp, 'clock' | 'timings'>,
  check: () => Promise<readonly { readonly message: string }[]>,
): Promise<readonly string[]> {
  const { checkNetworkWithinMs } = timings.upkeep;
  try {
    const late = [{ message: `the check took more than ${checkNetworkWithinMs / 1_000} seconds` }];
    const found = await inTime(clock, check(), checkNetworkWithinMs, late);
    return found.map(({ message }) => message);
  } catch (error) {
    return [describeError(error).message];
  }
}
