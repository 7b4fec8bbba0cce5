/** The app's source of time. Passed in, so that tests can use their own clock. */
export interface Clock {
  /** Milliseconds since 1970. The machine's time may be set while a process runs, forward or back. */
  now(): number;
  /** The same as a Date. */
  date(): Date;
  /** Milliseconds, for durations and deadlines within this process. It advances steadily even when the machine's time is set. */
  monotonic(): number;
  /** Resolves after this many milliseconds; at once when the number is not positive. */
  sleep(ms: number): Promise<void>;
  /** Runs something after this many milliseconds. @returns a function that cancels it */
  after(ms: number, run: () => void): () => void;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  date: () => new Date(),
  // Close to the time since 1970, so that zero is long ago.
  monotonic: () => performance.timeOrigin + performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms))),
  after(ms, run) {
    const timer = setTimeout(run, Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};
