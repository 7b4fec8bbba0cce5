import { about } from '@/lib/catalog/about';
import { revisions, statelessRevision } from '@/lib/catalog/remote';
import type { ApiRequest } from '@/lib/http/api-message';
import { isJsonObject } from '@/lib/platform/json';
import type { Message } from './read-message';
import { invalidField, type RpcError, rpcCodes } from './rpc-error';

/** Keys of `_meta` in the stateless revision. */
const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;

export const serverInfo = {
  name: about.name.toLowerCase(),
  title: about.name,
  version: about.version,
} as const;

export type Era = 'stateless' | 'earlier';

/**
 * The revision that a message is in, after a check of everything that it requires of message and headers.
 * @throws RpcError when the version is unknown, or message and headers disagree
 */
export function eraOf({ id, method, params }: Message, { headers }: Pick<ApiRequest, 'headers'>): Era {
  const meta = params._meta ?? {};
  if (!isJsonObject(meta)) throw invalidField(rpcCodes.invalidParams, 'params._meta', 'must be an object');
  const inHeader = headers.get('mcp-protocol-version');
  const version = meta[metaKeys.version];
  if (version === undefined) {
    if (inHeader === statelessRevision && id !== null) {
      throw invalidField(rpcCodes.invalidParams, `params._meta.${metaKeys.version}`, 'is required');
    }
    if (inHeader !== null && !revisions.includes(inHeader)) throw unsupported(inHeader);
    return inHeader === statelessRevision ? 'stateless' : 'earlier';
  }
  if (typeof version !== 'string') {
    throw invalidField(rpcCodes.invalidParams, `params._meta.${metaKeys.version}`, 'must be a string');
  }
  mustEqual(inHeader, version, 'MCP-Protocol-Version', `params._meta.${metaKeys.version}`);
  if (version !== statelessRevision) throw unsupported(version);
  for (const key of [metaKeys.clientInfo, metaKeys.clientCapabilities]) {
    if (id !== null && !isJsonObject(meta[key])) {
      throw invalidField(rpcCodes.invalidParams, `params._meta.${key}`, 'must be an object');
    }
  }
  mustEqual(headers.get('mcp-method'), method, 'Mcp-Method', 'method');
  if (method === 'tools/call') mustEqual(headers.get('mcp-name'), params.name, 'Mcp-Name', 'params.name');
  return 'stateless';
}

function mustEqual(header: string | null, value: unknown, name: string, path: string): void {
  if (header === value) return;
  throw invalidField(rpcCodes.headerMismatch, name, `must be sent, and equal ${path}`, { status: 400 });
}

function unsupported(requested: string): RpcError {
  return invalidField(
    rpcCodes.unsupportedVersion,
    'MCP-Protocol-Version',
    `must be one of ${revisions.join(', ')}`,
    { status: 400, data: { supported: revisions, requested } },
  );
}

/**
 * The HTTP status of an error about a message. Clients of earlier revisions read an error only from a response with 200, and
 * take any other status as a failure of the transport. A notification has no response that could carry one.
 * @param body the message, as far as it could be read
 */
export function statusOfErrors({ headers }: Pick<ApiRequest, 'headers'>, body: unknown): 200 | 400 {
  if (headers.get('mcp-protocol-version') === statelessRevision) return 400;
  const isNotification = isJsonObject(body) && !('id' in body) && typeof body.method === 'string';
  return isNotification ? 400 : 200;
}

/** What the stateless revision adds to a result. */
export function completed(result: Readonly<Record<string, unknown>>, era: Era): Record<string, unknown> {
  if (era === 'earlier') return result;
  const meta = isJsonObject(result._meta) ? result._meta : {};
  return { resultType: 'complete', ...result, _meta: { ...meta, [metaKeys.serverInfo]: serverInfo } };
}
