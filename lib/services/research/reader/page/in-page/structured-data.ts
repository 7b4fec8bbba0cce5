import { isJsonObject, parseJson } from '@/lib/platform/json';

type Thing = Readonly<Record<string, unknown>>;

/** The things that a page describes in JSON-LD. */
function readThings(page: Document): Thing[] {
  /** The things that a block describes: one, several, or a graph. */
  function thingsIn(value: unknown): Thing[] {
    if (Array.isArray(value)) return value.filter(isJsonObject);
    if (!isJsonObject(value)) return [];
    const parts = [value['@graph'], value.mainEntity, value.mainEntityOfPage].flat().filter(isJsonObject);
    return [value, ...parts];
  }

  return [...page.querySelectorAll('script[type="application/ld+json" i]')].flatMap((script) =>
    thingsIn(
      parseJson(
        (script.textContent ?? '').replace(/^\s*(<!--|\/\/\s*<!\[CDATA\[)|(-->|\/\/\s*\]\]>)\s*$/g, ''),
      ),
    ),
  );
}

const isOfType = (thing: Thing, types: RegExp) =>
  [thing['@type']].flat().some((type) => types.test(String(type)));

/** Whether a page declares that it is about one product. */
export function isProduct(page: Document): boolean {
  const declared = page.querySelector('meta[property="og:type" i]')?.getAttribute('content') ?? '';
  const products = readThings(page).filter((thing) => isOfType(thing, /^Product(Group)?$/));
  return (
    /^(og:)?product(\.item)?$/i.test(declared) ||
    products.length === 1 ||
    page.querySelectorAll('[itemtype$="schema.org/Product"]').length === 1
  );
}

/**
 * Reads who wrote a page and when from its JSON-LD (https://schema.org/CreativeWork).
 */
export function readStructuredData(page: Document) {
  const things = readThings(page);

  function nameOf(value: unknown): string | undefined {
    if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
    if (!isJsonObject(value)) return undefined;
    // A graph names a person once, and refers to it by its identifier.
    const named = value.name ?? things.find((thing) => thing['@id'] === value['@id'])?.name;
    return Array.isArray(named) ? nameOf(named[0]) : typeof named === 'string' ? nameOf(named) : undefined;
  }

  const isWork = (thing: Thing) =>
    isOfType(thing, /(Article|Posting|Report|Recipe|Review|Book|HowTo|Dataset)$/);
  /** Works come before the page that they are on. */
  const ordered = [...things.filter(isWork), ...things.filter((thing) => !isWork(thing))];
  const text = (name: string) =>
    ordered.map((thing) => thing[name]).find((value) => typeof value === 'string');
  const authors = ordered
    .map((thing) => [thing.author ?? thing.creator].flat().flatMap((person) => nameOf(person) ?? []))
    .find((names) => names.length > 0);
  return {
    author: authors?.join(', '),
    publishedTime: text('datePublished'),
    modifiedTime: text('dateModified'),
  };
}
