import type { Endpoint } from '@/lib/catalog/endpoints';
import type { ApiRequest, ApiResponse, PathParams } from '@/lib/http/api-message';
import type { FreeAdmission } from '@/lib/http/free-admission';
import type { HttpApp } from '@/lib/http/http-app';

/** What the remote MCP server needs from the app: everything that HTTP requests need, and their entry point. */
export interface McpApp extends HttpApp {
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

/** An MCP request, with what every step needs from the HTTP request around it. */
export interface McpContext {
  readonly app: McpApp;
  readonly request: ApiRequest;
  readonly requestId: string;
  /** The client's address, for rate limits. */
  readonly address: string;
  /** The bearer token that was sent; null when there is none. */
  readonly token: string | null;
  /** The message's turn if it does not pay. */
  readonly admission: FreeAdmission;
}
