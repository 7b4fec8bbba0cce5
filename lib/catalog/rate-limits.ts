/** How much one client address may have for nothing. Counted per process. */
export interface RateLimit {
  /** As the header `RateLimit-Policy` names it. */
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

export const rateLimits = {
  /** Every free call is one, and one more for each 64 KB of its body and of its answer. */
  freeCalls: { name: 'free-calls', quota: 200, windowSeconds: 10 },
  /** Bearer tokens that open nothing. */
  wrongTokens: { name: 'wrong-tokens', quota: 30, windowSeconds: 60 },
} as const satisfies Record<string, RateLimit>;

const bytesPerCall = 65_536;

/** What a free call counts, by the size of its body or answer. */
export function callsFor(bytes: number): number {
  return 1 + Math.floor(bytes / bytesPerCall);
}
