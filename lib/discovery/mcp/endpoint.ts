import { ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import { errorBody } from '@/lib/catalog/errors/error-body';
import { type ApiRequest, type ApiResponse, withHeaders } from '@/lib/http/api-message';
import { readBytes } from '@/lib/http/body';
import { clientAddressOf } from '@/lib/http/client-address';
import { FreeAdmission } from '@/lib/http/free-admission';
import { requestIdOf, respondJson } from '@/lib/http/respond';
import { bearerTokenOf } from '@/lib/platform/bearer-token';
import { callTool, readCall, refusedArguments, type ToolCall, type ToolOutcome } from './call-tool';
import type { McpContext, McpDeps } from './context';
import { answerListing } from './listing';
import { bodyBytesMax, largeBytes, refused } from './mcp-limits';
import { idOf, type Message, parseBody, readMessage } from './read-message';
import { completed, eraOf, statusOfErrors } from './revision';
import { invalidField, RpcError, rpcCodes } from './rpc-error';

/**
 * Answers a POST to the remote MCP server. Never rejects. There are no sessions: each message contains all that it
 * needs, so any instance can answer it. A tool call is the HTTP request that the tool stands for, and goes through the
 * same pipeline.
 */
export async function handleMcp(app: McpDeps, request: ApiRequest): Promise<ApiResponse> {
  const address = clientAddressOf(app, request);
  const admission = new FreeAdmission(app, address);
  const context: McpContext = {
    app,
    request,
    requestId: requestIdOf(request),
    address,
    token: bearerTokenOf(request),
    admission,
  };
  try {
    const response = await answer(context);
    await admission.noteResponse(Buffer.byteLength(response.body ?? ''));
    // The headers of a limit that refused the message say more than those of a limit that it stayed within.
    const limits = { ...admission.headers, ...response.headers };
    return withHeaders(response, { ...limits, 'Request-Id': context.requestId });
  } finally {
    admission.end();
  }
}

/** Answers with the message's result, or with an error under its ID. */
async function answer(context: McpContext): Promise<ApiResponse> {
  const { admission } = context;
  let id: Message['id'] = null;
  let body: unknown;
  try {
    const bytes = await readRequest(context);
    if (bytes.length > largeBytes) await admission.take(bytes.length);
    body = parseBody(bytes);
    id = idOf(body);
    const message = readMessage(body);
    const era = eraOf(message, context.request);
    const call = message.method === 'tools/call' && id !== null ? tryReadCall(context, message.params) : null;
    // With a payment, the call takes its turn once the payment has been read.
    if (!call || !('tool' in call) || !call.payment) await admission.take(bytes.length);
    // Includes notifications/cancelled: what may have been paid is finished and stored, and a retry gets it.
    if (id === null) return { status: 202, headers: {}, body: null };
    if (!call) return respondResult(id, completed(answerListing(context.app, message, era), era));
    const { result } = 'tool' in call ? await callWithToken(context, call) : call;
    return respondResult(id, completed(result, era));
  } catch (error) {
    // Messages that are refused count too.
    const limited = await admission.take(0).catch((refusal: unknown) => refusal);
    return respondRpcError(context, limited ?? error, id, statusOfErrors(context.request, body));
  }
}

async function readRequest({ app, request, admission }: McpContext): Promise<Uint8Array> {
  const { headers } = request;
  if (!isAllowedOrigin(app, request)) {
    throw invalidField(rpcCodes.refused, 'Origin', 'must not be a page on another name of this server', {
      status: 403,
    });
  }
  const type = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw invalidField(rpcCodes.refused, 'Content-Type', 'must be application/json', { status: 415 });
  }
  const announced = Number(headers.get('content-length') ?? 0);
  if (announced > largeBytes && announced <= bodyBytesMax) await admission.take(announced);
  const body = request.body && afterAdmission(request.body, admission);
  return readBytes({ headers, body }, bodyBytesMax);
}

/** The chunks of a body. A body that turns out to be large is counted before more of it is kept. */
async function* afterAdmission(
  body: AsyncIterable<Uint8Array>,
  admission: FreeAdmission,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > largeBytes) await admission.take(largeBytes);
    yield chunk;
  }
}

/** Wrong arguments get a result, like those that the operation refuses. */
function tryReadCall(context: McpContext, params: Message['params']): ToolCall | ToolOutcome {
  try {
    return readCall(context, params);
  } catch (error) {
    if (isApiError(error)) return refusedArguments(context, error);
    throw error;
  }
}

/**
 * Calls a tool.
 * @throws RpcError with status 401 for a wrong token: clients then ask a person for another. With 429 when a limit of the
 *   address is used up
 */
async function callWithToken(context: McpContext, call: ToolCall): Promise<ToolOutcome> {
  const outcome = await callTool(context, call);
  if (outcome.limited) throw refused(outcome.limited);
  if (outcome.status === 401 && context.token !== null && sendsToken(call))
    throw refused(new ApiError('account_token_wrong'));
  return outcome;
}

/** Whether the bearer token of the request is used by the call. */
function sendsToken({ tool: { operation }, payment }: ToolCall): boolean {
  return payment?.rail === 'account' || ('access' in operation && operation.access === 'account');
}

/** The status of a tool call is in its result: clients read a result only in a response with 200. */
function respondResult(id: Message['id'], result: object): ApiResponse {
  return respondJson(200, { jsonrpc: '2.0', id, result });
}

/** A JSON-RPC error, whose data is the error body that HTTP requests get. */
function respondRpcError(
  { app, requestId }: McpContext,
  thrown: unknown,
  id: Message['id'],
  usualStatus: number,
): ApiResponse {
  const error = toRpcError(thrown);
  const status = error.status ?? usualStatus;
  if (status >= 500) {
    const { code } = error.reason;
    app.problems.reportRequest('error', { requestId, code, cause: error.cause }, 'a request failed');
  }
  app.metrics.errors.inc({ code: error.reason.code });
  const { error: facts } = errorBody(error.reason, requestId, app.settings.PUBLIC_URL);
  const { code, message, data, headers } = error;
  return respondJson(
    status,
    { jsonrpc: '2.0', id, error: { code, message, data: { ...data, ...facts } } },
    headers,
  );
}

/** Outside of a tool call, errors of the service are about the HTTP request around the message. */
function toRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown;
  return isApiError(thrown) ? refused(thrown) : unexpected(thrown);
}

function unexpected(cause: unknown): RpcError {
  return new RpcError(rpcCodes.internalError, new ApiError('internal_error', { cause }), { status: 500 });
}

/**
 * Whether the page that sent a request may use the server. Any page may, as with the rest of the API, because no cookie
 * or other credential of the browser is ever accepted. Two kinds of pages are refused: those on the files origin, which
 * strangers wrote, and those that reach us under a host name of their own, which was pointed at a server in the
 * reader's network (DNS rebinding).
 */
function isAllowedOrigin({ settings }: Pick<McpDeps, 'settings'>, { headers }: Pick<ApiRequest, 'headers'>) {
  const origin = headers.get('origin');
  if (origin === null) return true;
  const ownHost = new URL(settings.PUBLIC_URL).host;
  const isForUs = headers.get('host') === ownHost;
  // A sandboxed page says nothing about where it is from.
  if (origin === 'null') return isForUs;
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  if (host === new URL(settings.FILES_URL).host) return false;
  return isForUs || host !== headers.get('host');
}
