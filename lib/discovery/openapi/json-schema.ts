import { z } from 'zod';

/**
 * The JSON Schema of a Zod schema, as OpenAPI 3.1 takes it: the dialect is the document's, and the pattern that Zod adds
 * to dates says nothing that their format does not.
 * @param io `input` for what callers send, where defaulted fields are not required; `output` for what they get
 */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema: made }) {
      if (made.format === 'date-time') delete made.pattern;
    },
  });
  return rest;
}
