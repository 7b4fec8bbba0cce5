import { type Clock, systemClock } from './clock';

/**
 * The time of the database, which all processes of a service share, whatever the clocks of their machines say. It is read with
 * each heartbeat (lib/platform/database/instance.ts) and advances steadily in between. Before the first heartbeat, it is the machine's time.
 */
export interface SharedClock extends Clock {
  /**
   * Sets the clock by what the database said. The current offset stays as long as it can be right: only the total duration of
   * the question and the answer is known, not each part.
   * @param databaseMs the database's time in milliseconds since 1970, read at some moment since `requestedAt`
   * @param requestedAt by `monotonic`
   */
  follow(databaseMs: number, requestedAt: number): void;
}

/** @param machine the clock of this machine */
export function shareClock(machine: Clock = systemClock): SharedClock {
  /** How far the time of the database is ahead of `monotonic`; null until it is known. */
  let aheadMs: number | null = null;
  const now = () => (aheadMs === null ? machine.now() : Math.floor(machine.monotonic() + aheadMs));
  return {
    now,
    date: () => new Date(now()),
    monotonic: () => machine.monotonic(),
    sleep: (ms) => machine.sleep(ms),
    after: (ms, run) => machine.after(ms, run),
    follow(databaseMs, requestedAt) {
      const least = databaseMs - machine.monotonic();
      const most = databaseMs - requestedAt;
      const isPossible = aheadMs !== null && aheadMs >= least && aheadMs <= most;
      if (!isPossible) aheadMs = (least + most) / 2;
    },
  };
}
