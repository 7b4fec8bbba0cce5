import { log } from './log';
import { processWide } from './process-wide';

/** While a condition lasts it is told again after this long, then after twice as long each time. */
const repeatAfterMs = { first: 60_000, most: 3_600_000 };

interface Lasting {
  readonly sinceMs: number;
  readonly level: 'warn' | 'error';
  readonly message: string;
  tellAgainAtMs: number;
  tellAgainAfterMs: number;
  times: number;
}

/**
 * Something that is wrong for a while and noticed again and again, such as a network that does not answer: told when it
 * begins, at growing intervals while it lasts, and when it is over.
 */
export class LastingCondition {
  readonly #tell: (level: 'info' | 'warn' | 'error', details: object, message: string) => void;
  readonly #clock: () => number;
  #lasting: Lasting | null = null;

  constructor(tell = logIt, clock = Date.now) {
    this.#tell = tell;
    this.#clock = clock;
  }

  /** It has been noticed. */
  report(level: 'warn' | 'error', details: object, message: string): void {
    const now = this.#clock();
    if (!this.#lasting) {
      const { first } = repeatAfterMs;
      this.#lasting = {
        sinceMs: now,
        level,
        message,
        tellAgainAtMs: now + first,
        tellAgainAfterMs: first,
        times: 1,
      };
      this.#tell(level, details, message);
      return;
    }
    this.#lasting.times += 1;
    if (now < this.#lasting.tellAgainAtMs) return;
    const { sinceMs, times } = this.#lasting;
    const afterMs = Math.min(2 * this.#lasting.tellAgainAfterMs, repeatAfterMs.most);
    this.#lasting.tellAgainAfterMs = afterMs;
    this.#lasting.tellAgainAtMs = now + afterMs;
    this.#tell(level, { ...details, times, forSeconds: secondsSince(sinceMs, now) }, message);
  }

  /** It is not so: told when it was. */
  end(details: object): void {
    if (!this.#lasting) return;
    const { sinceMs, times, message } = this.#lasting;
    this.#lasting = null;
    this.#tell(
      'info',
      { ...details, times, forSeconds: secondsSince(sinceMs, this.#clock()) },
      `over: ${message}`,
    );
  }
}

function logIt(level: 'info' | 'warn' | 'error', details: object, message: string): void {
  log()[level](details, message);
}

function secondsSince(sinceMs: number, nowMs: number): number {
  return Math.round((nowMs - sinceMs) / 1_000);
}

/** The condition of this name, one per process. Names are made of what is configured, so there are few. */
export function lastingCondition(name: string): LastingCondition {
  return processWide(`lasting condition ${name}`, () => new LastingCondition());
}
