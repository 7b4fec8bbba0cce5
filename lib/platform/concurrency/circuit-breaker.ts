import type { Clock } from '@/lib/platform/clock';

interface Waits {
  /** How long an open breaker waits for its first probe: doubled after each probe that fails, up to the limit. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** A breaker that opens again this soon after it closed continues with the doubled wait. */
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
  #waitMs = 0;
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
      const { firstMs, maxMs, steadyMs } = this.#waits;
      const isAgain = now - this.#closedAt < steadyMs;
      this.#waitMs = isAgain ? Math.min(2 * this.#waitMs, maxMs) : firstMs;
      this.#probeAt = now + this.#waitMs;
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
        () => this.#putOff(),
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

  #putOff(): void {
    this.#waitMs = Math.min(2 * this.#waitMs, this.#waits.maxMs);
    this.#probeAt = this.#clock.monotonic() + this.#waitMs;
  }
}
