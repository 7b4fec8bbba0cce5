const firstMs = 3_000;
const longestMs = 5 * 60_000;

/**
 * How long recovery leaves a call alone that it could not finish: 3 s, then twice as long each time, up to 5 min; up to a
 * quarter less at random, so that calls which failed together do not all come back together.
 * @param attempts how often recovery has failed with the call so far
 */
export function retryDelayMs(attempts: number): number {
  const delayMs = Math.min(longestMs, firstMs * 2 ** attempts);
  return delayMs * (1 - Math.random() / 4);
}
