import { isJsonObject } from '@/lib/platform/json';

/** Sections whose parts may stand where they are referred to. */
const sections = ['requestBodies', 'responses', 'schemas'] as const;

type Json = Readonly<Record<string, unknown>>;

interface Document {
  readonly paths: object;
  readonly components: Readonly<Record<string, Json>>;
}

/**
 * Writes each component that only one place refers to in that place: a brief document has no room for a reference that is
 * not shared.
 */
export function inlineUnshared<D extends Document>(document: D): D {
  const counts = new Map<string, number>();
  countReferences(document, counts);
  const parts = new Map<string, unknown>(
    sections.flatMap((section) =>
      Object.entries(document.components[section] ?? {}).map(([name, part]): [string, unknown] => [
        `#/components/${section}/${name}`,
        part,
      ]),
    ),
  );
  const inlined = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inlined);
    if (!isJsonObject(value)) return value;
    const part =
      typeof value.$ref === 'string' && counts.get(value.$ref) === 1 ? parts.get(value.$ref) : null;
    if (part) return inlined(part);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inlined(one)]));
  };
  const kept = ([section, entries]: [string, Json]): [string, Json] => [
    section,
    Object.fromEntries(
      Object.entries(entries)
        .filter(([name]) => {
          const reference = `#/components/${section}/${name}`;
          return !parts.has(reference) || (counts.get(reference) ?? 0) > 1;
        })
        .map(([name, part]) => [name, inlined(part)]),
    ),
  ];
  return {
    ...document,
    paths: inlined(document.paths),
    components: Object.fromEntries(Object.entries(document.components).map(kept)),
  };
}

function countReferences(value: unknown, counts: Map<string, number>): void {
  if (Array.isArray(value)) for (const one of value) countReferences(one, counts);
  else if (isJsonObject(value)) {
    if (typeof value.$ref === 'string') counts.set(value.$ref, (counts.get(value.$ref) ?? 0) + 1);
    for (const one of Object.values(value)) countReferences(one, counts);
  }
}
