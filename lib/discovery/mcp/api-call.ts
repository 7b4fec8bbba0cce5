import { pathWith } from '@/lib/catalog/operation';
import type { ArgumentLocation, RemoteTool } from '@/lib/discovery/remote-tools';
import type { ApiRequest, PathParams } from '@/lib/http/api-message';
import { canonicalJson } from '@/lib/http/body';
import { observedHeaders } from '@/lib/platform/metrics/request-observer';
import type { McpContext } from './context';

/** The arguments of a tool by their place in the request that the tool stands for. */
export interface PlacedArguments {
  readonly path: PathParams;
  readonly query: ReadonlyMap<string, string>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly token: unknown;
  readonly key: unknown;
}

/**
 * Arguments that the tool does not have go into the body, whose schema reports them. Elsewhere, null is the same as left out.
 */
export function placeArguments(
  { places }: RemoteTool,
  given: Readonly<Record<string, unknown>>,
): PlacedArguments {
  const of = (wanted: ArgumentLocation) =>
    Object.entries(given).filter(
      ([name, value]) =>
        (places.get(name) ?? 'body') === wanted &&
        (wanted === 'body' || (value !== null && value !== undefined)),
    );
  return {
    // The schemas of operations check the types of parameters.
    path: Object.fromEntries(of('path')) as PathParams,
    query: new Map(of('query').map(([name, value]) => [name, textOf(value)])),
    body: Object.fromEntries(of('body')),
    token: of('token')[0]?.[1],
    key: of('idempotency_key')[0]?.[1],
  };
}

/** A list or an object stays one, so that the schema refuses it. It may not even have a text of its own. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The arguments that a tool does not have, if its operation has no body whose schema would report them. */
export function unknownArguments(tool: RemoteTool, given: Readonly<Record<string, unknown>>): string[] {
  const takesBody = [...tool.places.values()].includes('body');
  return takesBody ? [] : Object.keys(given).filter((name) => !tool.places.has(name));
}

/**
 * The HTTP request that a tool call stands for. The same payment with the same arguments is the same call over MCP and
 * HTTP, so a call that was paid over MCP can be repeated over HTTP.
 * @param path of the operation, with parameters in braces
 * @param headers with names in lower case
 */
export function apiRequest(
  { app, request, requestId, address }: McpContext,
  { operation }: RemoteTool,
  path: string,
  placed: PlacedArguments,
  headers: Readonly<Record<string, string>>,
): ApiRequest {
  const takesBody = 'body' in operation && operation.takesBody;
  const url = new URL(pathWith(path, placed.path), app.settings.PUBLIC_URL);
  for (const [name, value] of placed.query) url.searchParams.set(name, value);
  const all = new Map(
    Object.entries({
      ...Object.fromEntries(observedHeaders.map((name) => [name, request.headers.get(name)])),
      ...headers,
      'request-id': requestId,
      // Says that the call has been counted for rate limits.
      [app.clientAddressHeader]: address,
    }),
  );
  return {
    method: operation.method,
    url: url.href,
    // A paid call is delivered and stored, whether or not the client waits for it.
    signal: 'price' in operation ? neverAborted : request.signal,
    headers: { get: (name) => all.get(name.toLowerCase()) ?? null },
    body: takesBody ? bodyOf(placed) : null,
  };
}

const neverAborted = new AbortController().signal;

/** Its digest binds MPP challenges, so the order of keys must not matter. Made only once the payment has been read. */
async function* bodyOf({ body }: PlacedArguments) {
  yield Buffer.from(canonicalJson(body));
}
