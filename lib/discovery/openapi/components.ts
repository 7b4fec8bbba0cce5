import type { z } from 'zod';
import { type Detail, jsonSchema } from './json-schema';

/** Shorter schemas take no more room than a reference to them. */
const lengthMin = 200;

type Json = Readonly<Record<string, unknown>>;

/**
 * Writes fields that several schemas share once, as a schema with the name of the field. Only exactly equal fields are
 * shared.
 * @param schemas the `schemas` of a document's components
 * @param detail in a brief document, only the shared schema has the description
 */
function shareRepeated(schemas: Json, detail: Detail): Record<string, unknown> {
  const places = new Map<string, { name: string; count: number }>();
  for (const schema of Object.values(schemas)) countFields(schema, places);
  const repeated = new Map<string, string>();
  const names = new Set(Object.keys(schemas));
  for (const [text, { name, count }] of places) {
    if (count < 2 || text.length < lengthMin || names.has(name)) continue;
    names.add(name);
    repeated.set(text, name);
  }
  const replace = (schema: unknown): unknown => withReferences(schema, repeated, detail);
  return {
    ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, replace(schema)])),
    ...Object.fromEntries([...repeated].map(([text, name]) => [name, replace(JSON.parse(text))])),
  };
}

function fieldsOf(schema: unknown): [name: string, field: object][] {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return [];
  return Object.entries(schema.properties as object);
}

function countFields(schema: unknown, places: Map<string, { name: string; count: number }>): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [name, field] of fieldsOf(schema)) {
    const text = JSON.stringify(field);
    const known = places.get(text);
    places.set(text, { name, count: (known?.count ?? 0) + 1 });
  }
  for (const below of Object.values(schema)) countFields(below, places);
}

/** JSON Schema allows a description next to a reference, for readers that do not follow it. */
function referenceTo(name: string, field: unknown, detail: Detail): object {
  const isDescribed =
    detail === 'full' && typeof field === 'object' && field !== null && 'description' in field;
  return {
    $ref: `#/components/schemas/${name}`,
    ...(isDescribed ? { description: field.description } : {}),
  };
}

/** Replaces the shared fields of a schema with references. */
function withReferences(schema: unknown, repeated: ReadonlyMap<string, string>, detail: Detail): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withReferences(one, repeated, detail));
  if (typeof schema !== 'object' || schema === null) return schema;
  const names = new Set(fieldsOf(schema).map(([name]) => name));
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key !== 'properties' || names.size === 0) return [key, withReferences(value, repeated, detail)];
      const fields = Object.entries(value as Json).map(([name, field]) => {
        const shared = repeated.get(JSON.stringify(field));
        return [name, shared ? referenceTo(shared, field, detail) : withReferences(field, repeated, detail)];
      });
      return [key, Object.fromEntries(fields)];
    }),
  );
}

type Section =
  | 'schemas'
  | 'requestBodies'
  | 'responses'
  | 'parameters'
  | 'headers'
  | 'examples'
  | 'securitySchemes';

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
