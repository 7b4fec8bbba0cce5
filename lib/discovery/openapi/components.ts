import type { z } from 'zod';
import { type Annotation, jsonSchema } from './json-schema';
import { shareRepeated } from './shared-schemas';

type Section = 'schemas' | 'responses' | 'parameters' | 'headers' | 'examples' | 'securitySchemes';

export interface Reference {
  readonly $ref: string;
}

/** The shared parts of one document: each is made when it is first named, so that a document carries what it uses. */
export class Components {
  readonly #sections = new Map<Section, Map<string, unknown>>();
  readonly #inputs = new Map<z.ZodType, Reference>();
  readonly #leavesOut: readonly Annotation[];

  /** @param leavesOut what input schemas of this document do not carry */
  constructor(leavesOut: readonly Annotation[] = []) {
    this.#leavesOut = leavesOut;
  }

  /** @param name letters, digits, `.`, `-`, `_` (OpenAPI 4.8.7.2) */
  use(section: Section, name: string, make: () => unknown): Reference {
    const parts = this.#sections.get(section) ?? new Map<string, unknown>();
    this.#sections.set(section, parts);
    if (!parts.has(name)) parts.set(name, make());
    return { $ref: `#/components/${section}/${name}` };
  }

  /** The schema of what is sent. Operations that take the same share it, under the name of the first of them. */
  inputSchema(name: string, input: z.ZodType): Reference {
    const known =
      this.#inputs.get(input) ?? this.use('schemas', name, () => jsonSchema(input, 'input', this.#leavesOut));
    this.#inputs.set(input, known);
    return known;
  }

  toObject(): Record<string, Record<string, unknown>> {
    const written = Object.fromEntries(
      [...this.#sections].map(([section, parts]) => [section, Object.fromEntries(parts)]),
    );
    return { ...written, schemas: shareRepeated(written.schemas ?? {}) };
  }
}
