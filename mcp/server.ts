import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { about } from '@/lib/catalog/about';
import { adapter as catalogEntry } from '@/lib/catalog/adapter';
import type { Adapter } from './adapter';
import type { Deliveries } from './deliveries';
import { describeFailure, describeOutcome } from './result';
import { ToolError } from './tool-error';
import { toolsByName, toolsOf } from './tools';
import { listTool } from './tools/listing';

/** The adapter's MCP server: lists the tools of the catalog and runs them. */
export function createServer(adapter: Adapter, deliveries: Deliveries): Server {
  const server = new Server(
    { name: catalogEntry.packageName, title: catalogEntry.title, version: about.version },
    { capabilities: { tools: {} }, instructions: catalogEntry.instructions },
  );
  const tools = toolsOf(adapter.settings);
  const listed = tools.map(({ entry }) => listTool(entry));

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
  // Not with setRequestHandler: for this method, the SDK checks the arguments itself and answers in its validator's words.
  server.fallbackRequestHandler = async (request, { requestId, signal }): Promise<CallToolResult> => {
    if (request.method !== 'tools/call') throw new McpError(ErrorCode.MethodNotFound, 'Method not found');
    const { success, data } = toolCall.safeParse(request.params);
    if (!success) throw new McpError(ErrorCode.InvalidParams, 'params.name must be the name of a tool.');
    const tool = tools.find(({ entry }) => entry.name === data.name);
    if (!tool) return describeFailure(unknownTool(data.name));
    // Wait until earlier calls are closed, so that an identical call right after a response counts as a new one.
    await deliveries.settled();
    try {
      const outcome = await tool.call(adapter, data.arguments, signal);
      if (outcome.afterDelivery) deliveries.after(requestId, outcome.afterDelivery);
      return describeOutcome(outcome);
    } catch (error) {
      return describeFailure(error);
    }
  };
  return server;
}

const toolCall = z.object({ name: z.string(), arguments: z.unknown() });

function unknownTool(name: string): ToolError {
  const reason = toolsByName.has(name)
    ? `The tool ${name} is turned off. A person can set TUPPENCE_TOOLS=all to turn it on.`
    : `There is no tool ${JSON.stringify(name.slice(0, 64))}.`;
  return new ToolError({
    code: 'invalid_input',
    message: `${reason} Nothing was charged.`,
    payment: 'none',
    retry: 'fix_input',
  });
}
