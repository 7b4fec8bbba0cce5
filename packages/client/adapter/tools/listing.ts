import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { AdapterTool } from '@/lib/catalog/adapter-tools';
import { describeReturns } from '@/lib/catalog/tool-words';

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
    inputSchema: toJsonSchema(tool.input),
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

/** JSON Schema draft 7, which clients expect by default. */
function toJsonSchema(schema: z.ZodObject): ListedTool['inputSchema'] {
  const { properties, required, additionalProperties } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    override({ jsonSchema }) {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  // A round trip through JSON leaves only plain data.
  return JSON.parse(JSON.stringify({ type: 'object', properties, required, additionalProperties }));
}
