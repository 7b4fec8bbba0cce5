/** A limit in a window of time. */
export interface RateLimit {
  /** Its name in the header `RateLimit-Policy`. */
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
  /** What the quota counts, if not requests. */
  readonly unit?: 'content-bytes';
}

/** What is left of a limit. */
export interface RateLimitState {
  readonly limit: RateLimit;
  readonly left: number;
  /** Until there is more. */
  readonly resetSeconds: number;
}

/** The header fields of draft-ietf-httpapi-ratelimit-headers: the policies, and what is left until the reset. */
export function rateLimitFields(states: readonly RateLimitState[]): Record<string, string> {
  const policyOf = ({ limit: { name, quota, windowSeconds, unit } }: RateLimitState) =>
    `"${name}";q=${quota};w=${windowSeconds}${unit ? `;qu="${unit}"` : ''}`;
  return {
    'RateLimit-Policy': states.map(policyOf).join(', '),
    RateLimit: states
      .map(({ limit, left, resetSeconds }) => `"${limit.name}";r=${left};t=${resetSeconds}`)
      .join(', '),
  };
}

/** Limits per client address unless they say otherwise. Each server counts for itself. */
export const rateLimits = {
  /** Every free call counts as one, plus one for each 64 KB of its body and its response. */
  freeCalls: { name: 'free-calls', quota: 200, windowSeconds: 10 },
  /** Bearer tokens that are not valid. */
  wrongTokens: { name: 'wrong-tokens', quota: 30, windowSeconds: 60 },
  /** Valid sign-ins, per wallet. */
  signIns: { name: 'sign-ins', quota: 60, windowSeconds: 60 },
  /** Sign-ins of which only a contract on a network can say whether they are valid. */
  contractSignIns: { name: 'contract-sign-ins', quota: 20, windowSeconds: 60 },
  /** Refunds on request that have not paid for their gas. */
  unearnedRefunds: { name: 'unearned-refunds', quota: 6, windowSeconds: 3_600 },
} as const satisfies Record<string, RateLimit>;

const bytesPerCall = 65_536;

/** How many calls a free call counts as, by the size of its body or response. */
export function callsFor(bytes: number): number {
  return 1 + Math.floor(bytes / bytesPerCall);
}
