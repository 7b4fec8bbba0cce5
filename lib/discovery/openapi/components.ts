import type { z } from 'zod';
import { type Detail, jsonSchema } from './json-schema';
import { shareRepeated } from './shared-schemas';

type Section = 'schemas' | 'responses' | 'parameters' | 'headers' | 'examples' | 'securitySchemes';

export interface Reference {
  readonly $ref: string;
}

/** The shared components of a document. Each is made when it is first used, so a document contains only what it uses. */
export class Components {
  readonly #sections = new Map<Section, Map<string, unknown>>();
  readonly #inputs = new Map<z.ZodType, Reference>();

  /** @param detail in a brief document, fields have no examples, and the schema of a body has a whole one */
  constructor(readonly detail: Detail = 'full') {}

  /** @param name letters, digits, `.`, `-`, `_` (OpenAPI 4.8.7.2) */
  use(section: Section, name: string, make: () => unknown): Reference {
    const parts = this.#sections.get(section) ?? new Map<string, unknown>();
    this.#sections.set(section, parts);
    if (!parts.has(name)) parts.set(name, make());
    return { $ref: `#/components/${section}/${name}` };
  }

  /** The same for a component that several names may stand for: an equal one that is known is used, whatever its name. */
  shareEqual(section: Section, name: string, made: unknown): Reference {
    const text = JSON.stringify(made);
    const parts = [...(this.#sections.get(section) ?? [])];
    const [known = name] = parts.find(([, part]) => JSON.stringify(part) === text) ?? [];
    return this.use(section, known, () => made);
  }

  /** The schema of an input. Operations with the same input share it, under the name of the first one. */
  inputSchema(name: string, input: z.ZodType, example: unknown): Reference {
    const make = () =>
      this.detail === 'full'
        ? jsonSchema(input, 'input')
        : { ...jsonSchema(input, 'input', ['examples']), examples: [example] };
    const known = this.#inputs.get(input) ?? this.use('schemas', name, make);
    this.#inputs.set(input, known);
    return known;
  }

  toObject(): Record<string, Record<string, unknown>> {
    const written = Object.fromEntries(
      [...this.#sections].map(([section, parts]) => [section, Object.fromEntries(parts)]),
    );
    return { ...written, schemas: shareRepeated(written.schemas ?? {}, this.detail) };
  }
}
