import { ApiError } from '@/lib/catalog/errors/api-error';
import { earlierRevisions, remote, statelessRevision } from '@/lib/catalog/remote';
import { withNotice } from '@/lib/catalog/test-service';
import { annotationsOf, isPaid, type RemoteTool, remoteTools } from '@/lib/discovery/remote-tools';
import { toolSchema } from '@/lib/discovery/tool-schema';
import type { Platform } from '@/lib/platform/platform';
import { isAvailable } from '@/lib/platform/upstream/availability';
import type { Message } from './read-message';
import { type Era, serverInfo } from './revision';
import { invalidField, RpcError, rpcCodes } from './rpc-error';

/** The settings say which tools there are. */
type WithSettings = Pick<Platform, 'settings'>;

type Result = Readonly<Record<string, unknown>>;

/** How long clients may keep a list: prices and tools change with a release or a setting. */
const cached = { ttlMs: 300_000, cacheScope: 'public' } as const;

/**
 * Answers every request except `tools/call`.
 * @throws RpcError method not found, with status 404 in the stateless revision; invalid params
 */
export function answerListing(app: WithSettings, { method, params }: Message, era: Era): Result {
  switch (method) {
    case 'tools/list':
      return listTools(app, params, era);
    case 'initialize':
      if (era === 'earlier') return initialize(app, params);
      break;
    case 'ping':
      if (era === 'earlier') return {};
      break;
    case 'server/discover':
      if (era === 'stateless') return discover(app);
      break;
  }
  const message = 'This server has no such method. It has tools only: tools/list and tools/call.';
  throw new RpcError(rpcCodes.methodNotFound, new ApiError('not_found', { message }), {
    status: era === 'stateless' ? 404 : 200,
  });
}

/** The server has tools. MPP asks servers to name their payment methods (draft-payment-transport-mcp-00). */
const capabilities = {
  tools: {},
  experimental: { payment: { methods: { evm: { intents: ['charge'] } } } },
} as const;

function instructionsOf({ settings }: WithSettings): string {
  return withNotice(settings.NETWORKS === 'test', remote.instructions);
}

function initialize(app: WithSettings, { protocolVersion }: Message['params']): Result {
  if (typeof protocolVersion !== 'string') {
    throw invalidField(rpcCodes.invalidParams, 'params.protocolVersion', 'must be a string');
  }
  const isKnown = earlierRevisions.some((one) => one === protocolVersion);
  return {
    protocolVersion: isKnown ? protocolVersion : earlierRevisions[0],
    capabilities,
    serverInfo,
    instructions: instructionsOf(app),
  };
}

function discover(app: WithSettings): Result {
  return {
    supportedVersions: [statelessRevision],
    capabilities,
    instructions: instructionsOf(app),
    ...cached,
  };
}

/** Lists all tools on one page, except those whose operations are not available here. */
function listTools(app: WithSettings, { cursor }: Message['params'], era: Era): Result {
  if (cursor !== undefined && cursor !== null) {
    throw invalidField(
      rpcCodes.invalidParams,
      'params.cursor',
      'must be left out: all tools are on one page',
    );
  }
  const offered = remoteTools().filter(({ operation }) => !isPaid(operation) || isAvailable(app, operation));
  return { tools: offered.map(listTool), ...(era === 'stateless' ? cached : {}) };
}

function listTool(tool: RemoteTool) {
  const { name, title, description, inputSchema, operation } = tool;
  const price = isPaid(operation) ? operation.price : '0';
  return {
    name,
    title,
    description,
    inputSchema: toolSchema(inputSchema),
    annotations: annotationsOf(tool),
    _meta: { 'tuppence/price': { amount: price, currency: 'USDC' } },
  };
}
