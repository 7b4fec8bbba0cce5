import {
  type RateLimiterAbstract,
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { callsFor, type RateLimit, rateLimitFields, rateLimits } from '@/lib/catalog/rate-limits';
import type { SignedInWallet } from '@/lib/payments/sign-in/sign-in-signature';
import { clientNetwork } from '@/lib/platform/addresses/client-network';
import { ownerKey } from '@/lib/platform/owners';

/** The rate limit headers of a response, and the refusal when the limit is used up. */
export interface LimitVerdict {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: ApiError | null;
}

const unlimited: LimitVerdict = { headers: {}, refusal: null };

interface Limiter {
  readonly limit: RateLimit;
  readonly counts: RateLimiterAbstract;
}

/**
 * Rate limits for free calls, wrong tokens, sign-ins and refunds, counted per app or, with several processes, by their parent
 * for all of them. RATE_LIMIT_FACTOR=0 leaves rate limiting to a proxy.
 */
export class RateLimits {
  readonly #freeCalls: Limiter | null;
  readonly #wrongTokens: Limiter | null;
  readonly #signIns: Limiter | null;
  readonly #contractSignIns: Limiter | null;
  readonly #unearnedRefunds: Limiter | null;

  /**
   * @param factor RATE_LIMIT_FACTOR, which multiplies every quota
   * @param hasSiblings whether this is one of several processes with a common parent
   */
  constructor(factor: number, hasSiblings = false) {
    this.#freeCalls = limiter(rateLimits.freeCalls, factor, hasSiblings);
    this.#wrongTokens = limiter(rateLimits.wrongTokens, factor, hasSiblings);
    this.#signIns = limiter(rateLimits.signIns, factor, hasSiblings);
    this.#contractSignIns = limiter(rateLimits.contractSignIns, factor, hasSiblings);
    this.#unearnedRefunds = limiter(rateLimits.unearnedRefunds, factor, hasSiblings);
  }

  /** Counts a free call with a body of this size. */
  countFreeCall(address: string, bytes: number): Promise<LimitVerdict> {
    return count(this.#freeCalls, clientNetwork(address), callsFor(bytes));
  }

  /** Counts a valid sign-in of a wallet. */
  countSignIn({ address, onlyOn }: SignedInWallet): Promise<LimitVerdict> {
    return count(this.#signIns, ownerKey(address, onlyOn), 1);
  }

  /** Counts a sign-in before a network is asked about it. Per client, so that nobody can use up a wallet's limit. */
  countContractSignIn(address: string): Promise<LimitVerdict> {
    return count(this.#contractSignIns, clientNetwork(address), 1);
  }

  /** Counts a refund on request that has not paid for its gas. */
  countUnearnedRefund(address: string): Promise<LimitVerdict> {
    return count(this.#unearnedRefunds, clientNetwork(address), 1);
  }

  /** Counts bytes in addition to the call itself: those of a large response, or of a body that was not announced. */
  async noteBytes(address: string, bytes: number): Promise<void> {
    const points = callsFor(bytes) - 1;
    if (points > 0) await this.#freeCalls?.counts.penalty(clientNetwork(address), points);
  }

  /**
   * Counts a token that turned out to be wrong. Right ones are never counted or refused, so nobody who shares an address
   * can lock out the others there.
   */
  countWrongToken(address: string): Promise<LimitVerdict> {
    return count(this.#wrongTokens, clientNetwork(address), 1);
  }
}

function limiter(limit: RateLimit, factor: number, hasSiblings: boolean): Limiter | null {
  if (factor === 0) return null;
  const quota = Math.max(1, Math.round(limit.quota * factor));
  const options = { keyPrefix: limit.name, points: quota, duration: limit.windowSeconds };
  const counts = hasSiblings ? new RateLimiterCluster(options) : new RateLimiterMemory(options);
  return { limit: { ...limit, quota }, counts };
}

async function count(limiter: Limiter | null, key: string, points: number): Promise<LimitVerdict> {
  if (!limiter) return unlimited;
  try {
    // A call that counts for more than the whole quota uses all of it. Otherwise it could never be made.
    const used = await limiter.counts.consume(key, Math.min(points, limiter.limit.quota));
    return verdict(limiter, used, false);
  } catch (error) {
    if (error instanceof RateLimiterRes) return verdict(limiter, error, true);
    throw error;
  }
}

function verdict({ limit, counts }: Limiter, used: RateLimiterRes, isOver: boolean): LimitVerdict {
  const resetSeconds = Math.max(1, Math.ceil(used.msBeforeNext / 1_000));
  const left = isOver ? 0 : Math.max(0, counts.points - used.consumedPoints);
  const headers = rateLimitFields([{ limit, left, resetSeconds }]);
  return {
    headers,
    refusal: isOver ? new ApiError('rate_limited', { retryAfterSeconds: resetSeconds, headers }) : null,
  };
}
