import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { about } from '@/lib/catalog/about';
import { adapter as catalogEntry } from '@/lib/catalog/adapter';
import type { Adapter } from './adapter';
import type { Deliveries } from './deliveries';
import { describeFailure, describeOutcome } from './result';
import { ToolError } from './tool-error';
import { toolsByName } from './tools';
import { listTool } from './tools/listing';

/** The adapter's MCP server: lists the tools of the catalog and runs them. */
export function createServer(adapter: Adapter, deliveries: Deliveries): Server {
  const server = new Server(
    { name: catalogEntry.packageName, title: catalogEntry.title, version: about.version },
    { capabilities: { tools: {} }, instructions: catalogEntry.instructions },
  );
  const listed = [...toolsByName.values()].map(({ entry }) => listTool(entry));
  const validators = new AjvJsonSchemaValidator();
  const accepts = new Map(
    listed.map(({ name, outputSchema }) => [name, validators.getValidator(outputSchema)]),
  );

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
  server.setRequestHandler(
    CallToolRequestSchema,
    async (request, { requestId, signal }): Promise<CallToolResult> => {
      const { name, arguments: args } = request.params;
      const tool = toolsByName.get(name);
      const isAccepted = accepts.get(name);
      if (!tool || !isAccepted) return describeFailure(unknownTool(name));
      // Wait until earlier calls are closed, so that an identical call right after a response counts as a new one.
      await deliveries.settled();
      try {
        const outcome = await tool.call(adapter, args, signal);
        if (outcome.afterDelivery) deliveries.after(requestId, outcome.afterDelivery);
        return describeOutcome(outcome, isAccepted(outcome.output).valid);
      } catch (error) {
        return describeFailure(error);
      }
    },
  );
  return server;
}

function unknownTool(name: string): ToolError {
  return new ToolError({
    code: 'invalid_input',
    message: `There is no tool ${JSON.stringify(name.slice(0, 64))}. Nothing was charged.`,
    payment: 'none',
    retry: 'fix_input',
  });
}
