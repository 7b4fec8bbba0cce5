import { isJsonObject, parseJson } from '@/lib/platform/json';

/**
 * Reads who wrote a page and when from its JSON-LD (https://schema.org/CreativeWork).
 */
export function readStructuredData(page: Document) {
  /** The things that a block describes: one, several, or a graph. */
  function thingsIn(value: unknown): Readonly<Record<string, unknown>>[] {
    if (Array.isArray(value)) return value.filter(isJsonObject);
    if (!isJsonObject(value)) return [];
    const graph = value['@graph'];
    return Array.isArray(graph) ? graph.filter(isJsonObject) : [value];
  }

  function namesOf(value: unknown): string[] {
    const one = (person: unknown) => (isJsonObject(person) ? person.name : person);
    return (Array.isArray(value) ? value : [value])
      .map(one)
      .filter((name): name is string => typeof name === 'string' && name.trim() !== '');
  }

  const work = [...page.querySelectorAll('script[type="application/ld+json"]')]
    .flatMap((script) => thingsIn(parseJson(script.textContent ?? '')))
    .find((thing) => thing.datePublished !== undefined || thing.author !== undefined);
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    author: namesOf(work?.author).join(', '),
    publishedTime: text(work?.datePublished),
    modifiedTime: text(work?.dateModified),
  };
}
