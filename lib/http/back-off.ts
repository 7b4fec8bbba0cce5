import type { Timings } from '@/lib/platform/timings';

/** What recovery failed to do: learn the outcome of a payment, or deliver a paid call. */
export type Stage = 'charge' | 'delivery';

/**
 * How long recovery waits before it tries a call again: twice as long each time, up to the limit of the stage. The
 * limit for charges is shorter, because others may submit an open payment, and only the next look-up notices. Up to a
 * quarter of the delay is random, so that calls that failed together do not all return together.
 * @param attempts how often recovery has failed with the call so far
 * @returns milliseconds
 */
export function retryDelayMs({ backOff }: Timings, attempts: number, stage: Stage): number {
  const longestMs = stage === 'charge' ? backOff.chargeMaxMs : backOff.deliveryMaxMs;
  const delayMs = Math.min(longestMs, backOff.firstMs * 2 ** attempts);
  return delayMs * (1 - Math.random() / 4);
}
