import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { AdapterTool } from '@/lib/catalog/adapter-tools';

/** How a tool is shown to assistants. */
export function listTool(tool: AdapterTool): ListedTool & { outputSchema: object } {
  const { name, title, description, price, readOnly, destructive, idempotent, openWorld } = tool;
  const cost =
    price === null
      ? 'Free.'
      : `Costs ${price} USDC from the prepaid account. A call that is refused costs nothing.`;
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

/** Draft 7, the dialect that clients compile without being told. */
function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const { properties, required, additionalProperties } = z.toJSONSchema(schema, {
    io,
    target: 'draft-7',
    override({ jsonSchema }) {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      // Clients refuse an answer that breaks the schema, after it was paid: a newer service may say more.
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  // Through text, so that nothing but the schema is left of it.
  return JSON.parse(JSON.stringify({ type: 'object', properties, required, additionalProperties }));
}
