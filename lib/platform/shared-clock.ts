import { type Clock, systemClock } from './clock';

/**
 * The time of the database, which all processes of a service share, whatever the clocks of their machines say. It is
 * learned with each heartbeat (lib/db/instance.ts) and goes on evenly in between. Until the first, it is the machine's.
 */
export interface SharedClock extends Clock {
  /**
   * Sets the clock by what the database said. What is known already stays while it can be right: how long the question and
   * the answer took is not known apart.
   * @param databaseMs its time in milliseconds since 1970, read at some moment since `askedAt`
   * @param askedAt by `monotonic`
   */
  follow(databaseMs: number, askedAt: number): void;
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
    follow(databaseMs, askedAt) {
      const least = databaseMs - machine.monotonic();
      const most = databaseMs - askedAt;
      const isPossible = aheadMs !== null && aheadMs >= least && aheadMs <= most;
      if (!isPossible) aheadMs = (least + most) / 2;
    },
  };
}
