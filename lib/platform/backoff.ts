/** How waits between attempts grow. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** By how much each wait is longer than the one before; twice by default. */
  readonly growth?: number;
}

/**
 * How long to wait after an attempt: longer each time, up to a limit.
 * @param attempt from 0
 * @returns milliseconds
 */
export function backoffMs({ firstMs, maxMs, growth = 2 }: Backoff, attempt: number): number {
  return Math.min(maxMs, firstMs * growth ** attempt);
}
