/** Reproducible numbers from 0 to 1 (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The seed of a run: RECOVERY_SEED or a new one. Printed, so that a failure can be reproduced. */
export function seedOf(what: string): number {
  const seed = Number(process.env.RECOVERY_SEED ?? Date.now() % 1_000_000);
  console.log(`${what}: RECOVERY_SEED=${seed}`);
  return seed;
}

/** One of several, by a number from 0 to 1. */
export function pick<T>(from: readonly T[], number: number): T {
  const picked = from[Math.floor(number * from.length)];
  if (picked === undefined) throw new Error('nothing to pick from');
  return picked;
}
