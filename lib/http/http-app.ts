import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallRuns } from '@/lib/calls/advance-call';
import type { CallStore } from '@/lib/calls/call-store';
import type { Endpoint } from '@/lib/catalog/endpoints';
import type { PausedOperations } from '@/lib/ledger/paused-operations';
import type { Payments } from '@/lib/payments/app-payments';
import type { ReceiptIssuer } from '@/lib/payments/receipts/receipt-issuer';
import type { ServicesApp } from '@/lib/services';
import type { ApiRequest, ApiResponse, PathParams } from './api-message';
import type { DryRunService } from './dry-run';
import type { FreeAdmission } from './free-admission';
import type { RateLimits } from './rate-limit';
import type { RefusalHistory } from './refusal-history';
import type { Throttle } from './throttle';

/** Everything that request handlers need together. Each of them takes the few parts that it uses. */
export interface HttpApp extends ServicesApp {
  readonly payments: Payments;
  readonly receipts: ReceiptIssuer;
  readonly calls: CallStore;
  readonly runs: CallRuns;
  readonly findCallService: (operationId: string) => DryRunService | null;
  readonly pausedOperations: PausedOperations;
  readonly throttle: Throttle;
  readonly rateLimits: RateLimits;
  /** Null when refused requests never slow down later ones. */
  readonly refusalHistory: RefusalHistory | null;
  /**
   * The header in which our listener passes the client's address to routes. Its name is random, so that no client can
   * send it.
   */
  readonly clientAddressHeader: string;
}

/** The entry point of the API. */
export interface ApiEntry {
  /**
   * Answers a request to an endpoint of the API. Never rejects.
   * @param params the parameters of its path
   * @param admission its turn if it does not pay; left out unless it has begun already
   */
  answer(
    endpoint: Endpoint,
    request: ApiRequest,
    params: PathParams,
    admission?: FreeAdmission,
  ): Promise<ApiResponse>;
}

/** Watches a request of our listener, from its arrival on. */
export type WatchRequest = (req: IncomingMessage, res: ServerResponse, requestId: string) => void;

/** An app as its listener serves it. */
export interface ServedApp extends HttpApp, ApiEntry {
  readonly watchers: readonly WatchRequest[];
  /** Answers a request to a path that the API does not have. Never rejects. */
  answerMissing(request: ApiRequest): Promise<ApiResponse>;
  /** Starts the heartbeat, the background tasks and, if wanted, the jobs. */
  start(options: { doesJobs: boolean }): Promise<RunningApp>;
}

/** A started app. */
export interface RunningApp {
  /** Ends long polls, so that a stopping server can finish its requests. */
  endWaits(): Promise<void>;
  /** Ends everything. Another instance, or the next start, finishes interrupted work. */
  stop(): Promise<void>;
}
