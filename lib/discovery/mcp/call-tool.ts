import { findPaidEndpoint, freeEndpoint, paidEndpoint } from '@/lib/catalog/endpoints';
import { ApiError, type Issue, invalidInput, isApiError } from '@/lib/catalog/errors/api-error';
import type { Operation } from '@/lib/catalog/operation';
import { findRemoteTool, isPaid, type RemoteTool } from '@/lib/discovery/remote-tools';
import type { ApiResponse } from '@/lib/http/api-message';
import { canonicalJson, readInput, usualBodyBytesMax } from '@/lib/http/body';
import { respondError } from '@/lib/http/respond';
import { isJsonObject } from '@/lib/platform/json';
import { apiRequest, type PlacedArguments, placeArguments, unknownArguments } from './api-call';
import type { McpContext } from './context';
import { readKey, readPayment, type ToolPayment } from './payment';
import { invalidField, rpcCodes } from './rpc-error';
import { paymentRequired, type ToolResult, toolResult } from './tool-result';

/** A call of a tool that exists, with arguments that are an object. */
export interface ToolCall {
  readonly tool: RemoteTool;
  readonly placed: PlacedArguments;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Null for free tools, and for paid tools that are called without a payment. */
  readonly payment: ToolPayment | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a call resulted in, with the HTTP status that the same call over HTTP would have. */
export interface ToolOutcome {
  readonly status: number;
  readonly result: ToolResult;
  /** The error of a limit of the client's address, which is not about this call. */
  readonly limited?: ApiError;
}

/**
 * Reads the parameters of `tools/call`.
 * @throws RpcError invalid params, naming the field; ApiError invalid_input for arguments that an assistant can correct
 */
export function readCall(context: McpContext, params: Readonly<Record<string, unknown>>): ToolCall {
  const { name } = params;
  const given = params.arguments ?? {};
  const meta = params._meta ?? {};
  const tool = typeof name === 'string' ? findRemoteTool(name) : undefined;
  if (!tool)
    throw invalidField(rpcCodes.invalidParams, 'params.name', 'must be a tool that tools/list returns');
  if (!isJsonObject(given))
    throw invalidField(rpcCodes.invalidParams, 'params.arguments', 'must be an object');
  if (!isJsonObject(meta)) throw invalidField(rpcCodes.invalidParams, 'params._meta', 'must be an object');
  const placed = placeArguments(tool, given);
  const unknown = unknownArguments(tool, given);
  if (unknown.length > 0)
    throw invalidInput(
      unknown.map((argument) => ({ path: argument.slice(0, 64), rule: 'is not an argument of this tool' })),
    );
  const { operation } = tool;
  if (!isPaid(operation))
    return { tool, placed, meta, payment: null, headers: freeHeaders(context, tool, placed) };
  const payment = readPayment(operation, meta, context.token);
  const { key, issue } = readKey(context, meta, placed.key, payment?.rail ?? null);
  // What is wrong with the input comes first: it says more, and only the first issues are told.
  if (issue) throw invalidInput([...inputIssues(operation, placed), issue]);
  return { tool, placed, meta, payment, headers: key === null ? {} : { 'idempotency-key': key } };
}

/** What the operation's schemas find wrong with the arguments. */
function inputIssues(operation: Operation, { path, body }: PlacedArguments): readonly Issue[] {
  const bytes = operation.takesBody ? Buffer.from(canonicalJson(body)) : Buffer.alloc(0);
  // Larger inputs are validated only in other threads, once the key is right.
  if (bytes.length > usualBodyBytesMax) return [];
  try {
    readInput(operation, bytes, path);
    return [];
  } catch (error) {
    if (!isApiError(error)) throw error;
    return error.issues;
  }
}

/** A tool with a secret of its own sends that instead of the account's token. */
function freeHeaders({ token }: McpContext, { operation, places }: RemoteTool, placed: PlacedArguments) {
  if ([...places.values()].includes('token')) {
    return typeof placed.token === 'string' ? bearer(placed.token) : {};
  }
  return 'access' in operation && operation.access === 'account' && token !== null ? bearer(token) : {};
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Calls the operation that the tool stands for, through the same pipeline as its HTTP routes. */
export async function callTool(context: McpContext, call: ToolCall): Promise<ToolOutcome> {
  const { app } = context;
  const { tool, placed, payment, headers } = call;
  const { operation } = tool;
  if (!isPaid(operation)) {
    const endpoint = freeEndpoint(operation);
    const request = apiRequest(context, tool, endpoint.path, placed, headers);
    return outcomeOf(await app.answer(endpoint, request, placed.path));
  }
  if (!payment) return askForPayment(context, operation, call);
  const { rail } = payment;
  const endpoint = findPaidEndpoint(operation, rail);
  if (!endpoint) throw new Error(`${operation.id} cannot be paid for on ${rail}`);
  const request = apiRequest(context, tool, endpoint.path, placed, { ...headers, ...payment.headers });
  const response = await app.answer(endpoint, request, placed.path, context.admission);
  const isChallenge = response.status === 402 && rail !== 'account';
  if (!isChallenge) return outcomeOf(response);
  const result =
    rail === 'x402'
      ? paymentRequired(operation, tool.name, response, null, true)
      : paymentRequired(operation, tool.name, null, response, true);
  return { status: 402, result };
}

/** Asks for a payment on both rails. If the operation is not available, says so instead. */
async function askForPayment(
  context: McpContext,
  operation: Operation,
  { tool, placed, headers }: ToolCall,
): Promise<ToolOutcome> {
  const { app } = context;
  const { mpp } = operation.paths;
  const endpoint = paidEndpoint(operation, 'x402');
  const request = apiRequest(context, tool, endpoint.path, placed, headers);
  const unpaid = await app.answer(endpoint, request, placed.path, context.admission);
  if (unpaid.status !== 402) return outcomeOf(unpaid);
  const challenge = mpp
    ? await app.payments.rails.mpp.challenge(operation, challengeRequestOf(operation, mpp, placed), null)
    : null;
  return { status: 402, result: paymentRequired(operation, tool.name, unpaid, challenge, false) };
}

function challengeRequestOf(operation: Operation, path: string, { body }: PlacedArguments) {
  const bytes = operation.takesBody ? Buffer.from(canonicalJson(body)) : Buffer.alloc(0);
  return { path, query: new URLSearchParams(), body: async () => bytes };
}

function outcomeOf(response: ApiResponse): ToolOutcome {
  const result = toolResult(response);
  const { error } = result.structuredContent ?? {};
  const isLimited = response.status === 429 && isJsonObject(error) && error.code === 'rate_limited';
  return { status: response.status, result, ...(isLimited ? { limited: limitOf(response) } : {}) };
}

function limitOf({ headers }: ApiResponse): ApiError {
  const ofLimits = Object.entries(headers).filter(([name]) => name.startsWith('RateLimit'));
  return new ApiError('rate_limited', {
    retryAfterSeconds: Number(headers['Retry-After'] ?? 1),
    headers: Object.fromEntries(ofLimits),
  });
}

/** An error about the arguments as a result: assistants read it and correct themselves. */
export function refusedArguments({ app, requestId }: McpContext, error: ApiError): ToolOutcome {
  return outcomeOf(respondError(app, error, requestId));
}
