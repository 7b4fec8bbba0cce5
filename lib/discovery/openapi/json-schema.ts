import { z } from 'zod';

/**
 * The level of detail: `full` describes every response with its body; `brief` has one response for all errors and only an
 * outline of the others, for readers that stop at 64 KB (docs/decisions/clients.md).
 */
export type Detail = 'full' | 'brief';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Parts of a schema that are not rules. */
type Annotation = 'examples' | 'description';

/**
 * The JSON Schema of a Zod schema for OpenAPI 3.1: without a dialect, which the document sets, and without the pattern that
 * Zod adds to dates, because their format says the same.
 * @param leavesOut annotations to leave out
 * @param io `input` for what callers send, where defaulted fields are not required; `output` for what they get
 * @param annotate adds to the schema of a part
 */
export function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  leavesOut: readonly Annotation[] = [],
  annotate: (made: JsonSchema, schema: z.core.$ZodType) => void = () => {},
): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema: made, zodSchema }) {
      if (made.format === 'date-time') delete made.pattern;
      for (const annotation of leavesOut) delete made[annotation];
      annotate(made, zodSchema);
    },
  });
  return rest;
}

/** The top-level fields of a response with their types. */
export function outline(schema: object): object {
  const { type, properties } = outlined.parse(schema);
  return { type, properties };
}

/** A field without a type, such as one that may be null, has the types of its alternatives. */
const outlinedField = z
  .object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    anyOf: z.array(z.object({ type: z.string().optional() })).optional(),
  })
  .transform(({ type, anyOf = [] }) => {
    const [only, ...others] = [...new Set(anyOf.flatMap((one) => one.type ?? []))];
    const types = type ?? (others.length === 0 ? only : [only, ...others]);
    // Linters want the items of an array, which an outline does not describe.
    return { type: types, ...(types === 'array' ? { items: {} } : {}) };
  });

const outlined = z.object({
  type: z.string(),
  properties: z.record(z.string(), outlinedField).default({}),
});
