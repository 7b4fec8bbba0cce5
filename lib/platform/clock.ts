/** The app's source of time. Passed in, so that tests can use their own clock. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** The same as a Date. */
  date(): Date;
  /** Resolves after this many milliseconds; at once when none are left. */
  sleep(ms: number): Promise<void>;
  /** Runs something after this many milliseconds. @returns a function that cancels it */
  after(ms: number, run: () => void): () => void;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  date: () => new Date(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms))),
  after(ms, run) {
    const timer = setTimeout(run, Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};
