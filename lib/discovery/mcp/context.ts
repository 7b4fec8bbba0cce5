import type { ApiRequest } from '@/lib/http/api-message';
import type { FreeAdmission } from '@/lib/http/free-admission';
import type { ApiEntry } from '@/lib/http/http-app';
import type { RateLimits } from '@/lib/http/rate-limit';
import type { Throttle } from '@/lib/http/throttle';
import type { Payments } from '@/lib/payments/app-payments';
import type { Platform } from '@/lib/platform/platform';

/** What the remote MCP server uses: the limits of requests, the challenges of MPP, and the entry point of the API. */
export interface McpDeps extends ApiEntry, Pick<Platform, 'settings' | 'problems' | 'metrics'> {
  readonly throttle: Throttle;
  readonly rateLimits: RateLimits;
  readonly payments: Payments;
  /** As in `HttpApp`. */
  readonly clientAddressHeader: string;
}

/** An MCP request, with what every step needs from the HTTP request around it. */
export interface McpContext {
  readonly app: McpDeps;
  readonly request: ApiRequest;
  readonly requestId: string;
  /** The client's address, for rate limits. */
  readonly address: string;
  /** The bearer token that was sent; null when there is none. */
  readonly token: string | null;
  /** The message's turn if it does not pay. */
  readonly admission: FreeAdmission;
}
