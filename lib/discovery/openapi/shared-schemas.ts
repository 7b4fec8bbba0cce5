import type { Detail } from './json-schema';

/** Shorter schemas take no more room than a reference to them. */
const lengthMin = 200;

type Json = Readonly<Record<string, unknown>>;

/**
 * Writes fields that several schemas share once, as a schema with the name of the field. Only exactly equal fields are
 * shared.
 * @param schemas the `schemas` of a document's components
 * @param detail in a brief document, only the shared schema has the description
 */
export function shareRepeated(schemas: Json, detail: Detail): Record<string, unknown> {
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
