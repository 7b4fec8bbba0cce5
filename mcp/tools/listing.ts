import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { AdapterTool } from '@/lib/catalog/adapter-tools';

/** The description of a tool for assistants. */
export function listTool(tool: AdapterTool): ListedTool & { outputSchema: object } {
  const { name, title, description, price, readOnly, destructive, idempotent, openWorld } = tool;
  const cost =
    price === null ? 'Free.' : `Costs ${price} USDC from the prepaid account. A refused call costs nothing.`;
  return {
    name,
    title,
    description: `${description} ${cost}`,
    inputSchema: toJsonSchema(tool.input, 'input'),
    outputSchema: toJsonSchema(tool.output, 'output'),
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
function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const { properties, required, additionalProperties } = z.toJSONSchema(schema, {
    io,
    target: 'draft-7',
    override({ jsonSchema }) {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      // Clients reject a response that breaks the schema, even though it was paid for. A newer service may send more fields.
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  // A round trip through JSON leaves only plain data.
  return JSON.parse(JSON.stringify({ type: 'object', properties, required, additionalProperties }));
}
