import type { Timings } from '@/lib/platform/timings';

/** What recovery could not do: learn the outcome of a payment, or deliver a paid call. */
export type Stage = 'charge' | 'delivery';

/**
 * How long recovery leaves a call alone that it could not finish: twice as long each time, up to the limit of the stage. An
 * open payment can be submitted by others, or show up late, which nobody but the next look notices, so its limit is the
 * shorter one. Up to a quarter less at random, so that calls which failed together do not all come back together.
 * @param attempts how often recovery has failed with the call so far
 * @returns milliseconds
 */
export function retryDelayMs({ backOff }: Timings, attempts: number, stage: Stage): number {
  const longestMs = stage === 'charge' ? backOff.chargeMaxMs : backOff.deliveryMaxMs;
  const delayMs = Math.min(longestMs, backOff.firstMs * 2 ** attempts);
  return delayMs * (1 - Math.random() / 4);
}
