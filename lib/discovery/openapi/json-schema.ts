import { z } from 'zod';

/**
 * How much a document says: `full` describes every answer with its body; `brief` has one answer for all errors and only
 * the outline of the others, for readers who stop at 64 KB (docs/decisions/openapi-size.md).
 */
export type Detail = 'full' | 'brief';

/** What a schema says beside its rules. */
export type Annotation = 'examples' | 'description';

/**
 * The JSON Schema of a Zod schema, as OpenAPI 3.1 takes it: the dialect is the document's, and the pattern that Zod adds
 * to dates says nothing that their format does not.
 * @param leavesOut annotations that the reader is spared
 * @param io `input` for what callers send, where defaulted fields are not required; `output` for what they get
 */
export function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  leavesOut: readonly Annotation[] = [],
): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema: made }) {
      if (made.format === 'date-time') delete made.pattern;
      for (const annotation of leavesOut) delete made[annotation];
    },
  });
  return rest;
}

/** The names of the fields that an answer has at the top. */
export function outline(schema: object): object {
  const { type, properties } = outlined.parse(schema);
  return { type, properties };
}

const outlined = z.object({
  type: z.string(),
  properties: z.record(z.string(), z.object({})).default({}),
});
