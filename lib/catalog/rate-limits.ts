/** A limit per client address. Each server counts for itself. */
export interface RateLimit {
  /** Its name in the header `RateLimit-Policy`. */
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

export const rateLimits = {
  /** Every free call counts as one, plus one for each 64 KB of its body and its response. */
  freeCalls: { name: 'free-calls', quota: 200, windowSeconds: 10 },
  /** Bearer tokens that are not valid. */
  wrongTokens: { name: 'wrong-tokens', quota: 30, windowSeconds: 60 },
} as const satisfies Record<string, RateLimit>;

const bytesPerCall = 65_536;

/** How many calls a free call counts as, by the size of its body or response. */
export function callsFor(bytes: number): number {
  return 1 + Math.floor(bytes / bytesPerCall);
}
