import { type Backoff, backoffMs } from '@/lib/platform/backoff';
import type { Clock } from '@/lib/platform/clock';

/** How long an open breaker waits before its first probe, and after each probe that fails. */
interface Waits extends Backoff {
  /** A breaker that opens again this soon after it closed continues with longer waits. */
  readonly steadyMs: number;
}

/**
 * Remembers that something does not work, so that others need not find out again, and finds out in the background whether it
 * works again. It has no timer of its own: probes start when somebody asks and one is due.
 */
export class CircuitBreaker<Cause> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #waits: Waits;
  readonly #onChange: (cause: Cause | null) => void;
  #cause: Cause | null = null;
  #probe: (() => Promise<unknown>) | null = null;
  #probing: Promise<void> | null = null;
  #probeAt = 0;
  /** How many waits came before the current one. */
  #attempt = 0;
  #closedAt = Number.NEGATIVE_INFINITY;

  /** @param onChange called with the cause when the breaker opens, or the cause changes, and with null when it closes */
  constructor(
    clock: Pick<Clock, 'monotonic'>,
    waits: Waits,
    onChange: (cause: Cause | null) => void = () => undefined,
  ) {
    this.#clock = clock;
    this.#waits = waits;
    this.#onChange = onChange;
  }

  /** Why it is open; null while it is closed. */
  get cause(): Cause | null {
    return this.#cause;
  }

  /** @param probe rejects as long as the cause lasts. While the breaker is open for this cause, the first probe is kept */
  open(cause: Cause, probe: () => Promise<unknown>): void {
    if (this.#cause === cause) return;
    const now = this.#clock.monotonic();
    if (this.#cause === null) {
      const isAgain = now - this.#closedAt < this.#waits.steadyMs;
      this.#wait(isAgain ? this.#attempt + 1 : 0);
    }
    this.#cause = cause;
    this.#probe = probe;
    this.#onChange(cause);
  }

  /**
   * Starts a probe in the background, if the breaker is open and one is due.
   * @returns the end of the probe under way; null when there is none
   */
  probeIfDue(): Promise<void> | null {
    const probe = this.#probe;
    if (!probe || this.#probing || this.#clock.monotonic() < this.#probeAt) return this.#probing;
    this.#probing = probe()
      .then(
        () => this.#close(),
        () => this.#wait(this.#attempt + 1),
      )
      .finally(() => {
        this.#probing = null;
      });
    return this.#probing;
  }

  /** Makes the next probe due now, because there is a sign that the cause is over. */
  expectEnd(): void {
    this.#probeAt = Math.min(this.#probeAt, this.#clock.monotonic());
  }

  #close(): void {
    this.#cause = null;
    this.#probe = null;
    this.#closedAt = this.#clock.monotonic();
    this.#onChange(null);
  }

  #wait(attempt: number): void {
    this.#attempt = attempt;
    this.#probeAt = this.#clock.monotonic() + backoffMs(this.#waits, attempt);
  }
}
