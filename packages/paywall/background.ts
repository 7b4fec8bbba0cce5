import type { CallRuns } from '@/lib/calls/advance-call';
import type { BuyDeps } from '@/lib/calls/call-deps';
import { checkFinality, closeRefusals } from '@/lib/jobs/finality-checks';
import { idleCallReleaser } from '@/lib/jobs/idle-calls';
import { pollForWork } from '@/lib/jobs/poll-for-work';
import { type RecoveryDeps, recoverCalls } from '@/lib/jobs/recovery';
import { settlementTasks } from '@/lib/jobs/settlement-tasks';
import type { Payments } from '@/lib/payments/app-payments';
import { checkNetworks, watchNetworks } from '@/lib/payments/network-checks';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { repeat } from '@/lib/platform/concurrency/repeat';
import { task } from '@/lib/platform/concurrency/task';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { OpenedStore, StoredWork } from './store';

/** What the background work of a paywall uses. */
export interface BackgroundDeps {
  readonly platform: ChainPlatform;
  readonly store: OpenedStore;
  readonly networks: Pick<Payments, 'features' | 'networks' | 'watch'>;
  readonly calls: BuyDeps & RecoveryDeps;
  readonly runs: CallRuns;
}

/**
 * Starts the background work: the heartbeat, recovery of unfinished calls, settlement and finality. Resolves once the networks
 * are checked. If it rejects, nothing goes on.
 * @returns a function that ends it
 */
export async function startBackground(deps: BackgroundDeps): Promise<() => Promise<void>> {
  const { platform, store, calls, runs } = deps;
  const { clock, timings, problems, log } = platform;
  const payments = { ...platform, payments: deps.networks };
  const offers = deps.networks.networks;
  await store.start();
  const { recoverCallsMs, reviewSettlementsMs, closeRefusalsMs, cleanUpMs, stopMs } = timings.jobs;
  const finality = { problems, log, record: store.finality, offers: offers.all() };
  const underWay = new Set<Promise<void>>();
  const jobs = [
    job('recover calls', recoverCallsMs, 'hasAbandonedCalls', () => recoverCalls(calls, clock.date())),
    job('review settlements', reviewSettlementsMs, 'hasSettlementsNotFinal', () =>
      checkFinality(finality, clock.date()),
    ),
    job('close refusals', closeRefusalsMs, 'hasRefusalsToClose', () => closeRefusals(calls, clock.date())),
  ];
  const releaser = idleCallReleaser({ calls: store.calls, runs, clock, timings });
  const tasks = [...settlementTasks(platform, offers), task(platform, 'release idle calls', releaser)];
  let isStopped = false;
  const stopPolling = pollForWork(
    { ...platform, instance: store.instance },
    () => store.findWork(),
    (work) => {
      if (isStopped) return;
      for (const start of jobs) start(work);
      for (const one of tasks) void one.run(work);
    },
  );
  try {
    await checkNetworks(payments);
  } catch (error) {
    await stopPolling();
    throw error;
  }
  const stopWatching = watchNetworks(payments);
  const erasing = repeat(platform, 'erase', cleanUpMs, () => store.erase(clock.date()));
  return async () => {
    isStopped = true;
    // The heartbeat continues meanwhile, so that no other process takes over what is under way here.
    const ended = Promise.all([
      ...[stopWatching(), erasing.stop(), runs.whenIdle()],
      ...[...tasks.map((one) => one.end()), ...underWay],
    ]);
    await inTime(clock, ended, stopMs, null);
    await stopPolling();
    await store.close();
  };

  /** Runs when there is something to do, but not more often than that. A slow run does not hold up the next. */
  function job(
    name: string,
    everyMs: number,
    isNeeded: 'hasAbandonedCalls' | 'hasSettlementsNotFinal' | 'hasRefusalsToClose',
    run: () => Promise<void>,
  ): (work: StoredWork) => void {
    let dueAt = 0;
    return (work) => {
      if (!work[isNeeded] || clock.monotonic() < dueAt) return;
      dueAt = clock.monotonic() + everyMs * 0.9;
      const running: Promise<void> = task(platform, name, run)
        .run()
        .finally(() => underWay.delete(running));
      underWay.add(running);
    };
  }
}
