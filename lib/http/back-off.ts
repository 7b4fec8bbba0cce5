const firstMs = 3_000;
const longestMs = {
  /** A payment can be submitted by others, or show up late: nobody but the next look notices. */
  charge: 30_000,
  delivery: 5 * 60_000,
};

/** What recovery could not do: learn the outcome of a payment, or deliver a paid call. */
export type Stage = keyof typeof longestMs;

/**
 * How long recovery leaves a call alone that it could not finish: 3 s, then twice as long each time, up to 30 s while its
 * payment is open and up to 5 min once it is paid; up to a quarter less at random, so that calls which failed together do
 * not all come back together.
 * @param attempts how often recovery has failed with the call so far
 * @returns milliseconds
 */
export function retryDelayMs(attempts: number, stage: Stage): number {
  const delayMs = Math.min(longestMs[stage], firstMs * 2 ** attempts);
  return delayMs * (1 - Math.random() / 4);
}
