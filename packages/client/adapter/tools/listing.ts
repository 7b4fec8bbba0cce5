import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { AdapterTool } from '@/lib/catalog/adapter-tools';
import { describeReturns } from '@/lib/catalog/tool-words';
import { toolSchema } from '@/lib/discovery/tool-schema';

/**
 * The description of a tool for assistants. It names the fields of the result instead of having their schema, which would be
 * most of the list, and with which clients discard a result that does not fit, although it was paid for.
 */
export function listTool(tool: AdapterTool): ListedTool {
  const { name, title, description, price, readOnly, destructive, idempotent, openWorld } = tool;
  const cost =
    price === null ? 'Free.' : `Costs ${price} USDC from the prepaid account. A refused call costs nothing.`;
  return {
    name,
    title,
    description: [description, describeReturns(tool), cost].filter(Boolean).join(' '),
    inputSchema: inputSchemaOf(tool.input),
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
    _meta: { 'tuppence/price': { amount: price ?? '0', currency: 'USDC' } },
  };
}

/** In what the providers of large models accept of JSON Schema, as the remote server lists its tools. */
function inputSchemaOf(schema: z.ZodObject): ListedTool['inputSchema'] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  const listed = toolSchema({
    type: 'object',
    // A round trip through JSON leaves only plain data.
    properties: JSON.parse(JSON.stringify(properties)),
    required,
    additionalProperties: false,
  });
  return { ...listed, type: 'object' };
}
