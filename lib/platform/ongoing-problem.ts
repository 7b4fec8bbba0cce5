import { hourMs } from '@/lib/platform/durations';
import { backoffMs } from './backoff';
import type { Clock } from './clock';
import { describeError, type Logger } from './log';

/** How long a lasting problem is not logged again. */
const pauses = { firstMs: 60_000, maxMs: hourMs };
/** A problem that requests run into is over when none has for this long. */
const quietMs = 60_000;
/** What requests run into at the same time is told apart up to this number. */
const keysMax = 50;

type Level = 'info' | 'warn' | 'error';

interface Problem {
  readonly sinceMs: number;
  readonly message: string;
  logAgainAtMs: number;
  /** How often it was logged. */
  entries: number;
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
    this.#problem ??= { sinceMs: now, message, logAgainAtMs: now, entries: 0, times: 0 };
    const problem = this.#problem;
    problem.times += 1;
    if (now < problem.logAgainAtMs) return;
    problem.logAgainAtMs = now + backoffMs(pauses, problem.entries);
    problem.entries += 1;
    const { sinceMs, times } = problem;
    const lasting = times === 1 ? {} : { times, forSeconds: secondsSince(sinceMs, now) };
    this.#write(level, { ...details, ...lasting }, message);
  }

  /** How often it has occurred since it began. */
  get times(): number {
    return this.#problem?.times ?? 0;
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

interface PassingProblem {
  readonly problem: OngoingProblem;
  lastAtMs: number;
}

/** The ongoing problems of an app by name. Names come from the configuration, so there are few. */
export class OngoingProblems {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #known = new Map<string, OngoingProblem>();
  /** What requests have run into in the last minute. */
  readonly #requests = new Map<string, PassingProblem>();

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

  /**
   * Logs what one request ran into. An outage would bring an entry per request, so only the first is logged, and then as an
   * ongoing problem with its number. Requests ran into the same if message, code and cause are alike. It is over when no
   * request has run into it for a minute.
   * @param details with the cause, which is described in the entry
   */
  reportRequest(
    level: 'warn' | 'error',
    { cause, ...details }: { readonly code?: string; readonly cause: unknown } & Record<string, unknown>,
    message: string,
  ): void {
    const described = cause === undefined ? undefined : describeError(cause);
    const reason = described?.message.replaceAll(/\d+|0x\S*|\b\w*_\w{12,}/g, '…').slice(0, 60);
    const name = [message, details.code, described?.name, described?.code, reason].join(' ');
    const key = this.#requests.has(name) || this.#requests.size < keysMax ? name : message;
    const known = this.#requests.get(key) ?? this.#begin(key, details.code);
    known.lastAtMs = this.#clock.monotonic();
    known.problem.report(level, { ...details, cause: described }, message);
  }

  #begin(key: string, code: string | undefined): PassingProblem {
    const write = (level: Level, details: object, message: string) => this.#log[level](details, message);
    const begun = { problem: new OngoingProblem(write, this.#clock), lastAtMs: 0 };
    this.#requests.set(key, begun);
    const check = (afterMs: number) =>
      this.#clock.after(afterMs, () => {
        const leftMs = begun.lastAtMs + quietMs - this.#clock.monotonic();
        if (leftMs > 0) return check(leftMs);
        this.#requests.delete(key);
        // What happened once has its entry.
        if (begun.problem.times > 1) begun.problem.end({ code });
      });
    check(quietMs);
    return begun;
  }
}
