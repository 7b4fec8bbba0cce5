import type { Clock } from './clock';
import type { Logger } from './log';

/** A lasting problem is logged again after this long, then at doubled intervals. */
const repeatAfterMs = { first: 60_000, most: 3_600_000 };

type Level = 'info' | 'warn' | 'error';

interface Problem {
  readonly sinceMs: number;
  readonly level: 'warn' | 'error';
  readonly message: string;
  logAgainAtMs: number;
  logAgainAfterMs: number;
  times: number;
}

/**
 * A problem that lasts and is noticed repeatedly, such as a network that does not respond. Logged when it begins, at
 * growing intervals while it lasts, and when it ends.
 */
export class OngoingProblem {
  readonly #write: (level: Level, details: object, message: string) => void;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #problem: Problem | null = null;

  constructor(
    write: (level: Level, details: object, message: string) => void,
    clock: Pick<Clock, 'monotonic'>,
  ) {
    this.#write = write;
    this.#clock = clock;
  }

  /** Reports that the problem occurs. */
  report(level: 'warn' | 'error', details: object, message: string): void {
    const now = this.#clock.monotonic();
    if (!this.#problem) {
      const { first } = repeatAfterMs;
      this.#problem = {
        sinceMs: now,
        level,
        message,
        logAgainAtMs: now + first,
        logAgainAfterMs: first,
        times: 1,
      };
      this.#write(level, details, message);
      return;
    }
    this.#problem.times += 1;
    if (now < this.#problem.logAgainAtMs) return;
    const { sinceMs, times } = this.#problem;
    const afterMs = Math.min(2 * this.#problem.logAgainAfterMs, repeatAfterMs.most);
    this.#problem.logAgainAfterMs = afterMs;
    this.#problem.logAgainAtMs = now + afterMs;
    this.#write(level, { ...details, times, forSeconds: secondsSince(sinceMs, now) }, message);
  }

  /** Reports that the problem does not occur. Logged if it did before. */
  end(details: object): void {
    if (!this.#problem) return;
    const { sinceMs, times, message } = this.#problem;
    this.#problem = null;
    this.#write(
      'info',
      { ...details, times, forSeconds: secondsSince(sinceMs, this.#clock.monotonic()) },
      `over: ${message}`,
    );
  }
}

function secondsSince(sinceMs: number, nowMs: number): number {
  return Math.round((nowMs - sinceMs) / 1_000);
}

/** The ongoing problems of an app by name. Names come from the configuration, so there are few. */
export class OngoingProblems {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #known = new Map<string, OngoingProblem>();

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Every caller with the same name gets the same problem. */
  get(name: string): OngoingProblem {
    const write = (level: Level, details: object, message: string) => this.#log[level](details, message);
    const known = this.#known.get(name) ?? new OngoingProblem(write, this.#clock);
    this.#known.set(name, known);
    return known;
  }
}
