import type { DueWork } from '@/lib/ledger/due-work';
import { inTime } from '@/lib/platform/concurrency/in-time';
import type { WithDatabase } from '@/lib/platform/database/database';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';

type PollDeps = Pick<Platform, 'clock' | 'problems' | 'timings'> & {
  readonly instance: Pick<WithDatabase['instance'], 'countPeers' | 'hasPeers'>;
};

/**
 * Renews the heartbeat and asks the database for due work, repeatedly: often while there is unfinished work, rarely while there
 * is none. A slow statement does not hold up the next heartbeat.
 * @param ask renews the heartbeat and asks for work
 * @param act gets the due work; it must not throw
 * @returns a function that ends this and waits for statements under way, so that no heartbeat follows it
 */
export function pollForWork<Work extends Pick<DueWork, 'peers' | 'isUnfinished'>>(
  app: PollDeps,
  ask: () => Promise<Work>,
  act: (work: Work) => void,
): () => Promise<void> {
  const { clock, instance, timings } = app;
  const failure = app.problems.get('heartbeat');
  const underWay = new Set<Promise<void>>();
  let activeUntil = 0;
  let isStopped = false;
  let cancel: () => void;

  const schedule = (ms: number) => {
    if (!isStopped) cancel = clock.after(ms, poll);
  };
  const poll = () => {
    const polling = askAndAct().finally(() => underWay.delete(polling));
    underWay.add(polling);
    schedule(timings.instance.heartbeatMs);
  };
  const askAndAct = async () => {
    try {
      const work = await ask();
      failure.end({});
      instance.countPeers(work.peers);
      if (work.isUnfinished) activeUntil = clock.monotonic() + timings.polling.activeForMs;
      if (!isStopped) act(work);
    } catch (error) {
      failure.report('error', { error: describeError(error) }, 'heartbeats are missed');
    }
    if (isStopped) return;
    cancel();
    schedule(intervalMs());
  };
  const intervalMs = () => {
    const { activeMs, activeWithPeersMs, idleWithPeersMs } = timings.polling;
    if (clock.monotonic() < activeUntil) return instance.hasPeers() ? activeWithPeersMs : activeMs;
    return instance.hasPeers() ? idleWithPeersMs : timings.instance.heartbeatMs;
  };

  cancel = clock.after(timings.polling.activeMs, poll);
  return async () => {
    isStopped = true;
    cancel();
    await inTime(clock, Promise.all(underWay), timings.instance.heartbeatMs, null);
  };
}
