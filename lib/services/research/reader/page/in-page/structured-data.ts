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

/** What a page declares that it is: an article or one product. */
export function readKind(page: Document): 'article' | 'product' | undefined {
  const declared = page.querySelector('meta[property="og:type" i]')?.getAttribute('content') ?? '';
  const things = readThings(page);
  const has = (types: RegExp) => things.filter((thing) => isOfType(thing, types)).length;
  const scopes = (type: string) => page.querySelectorAll(`[itemtype$="schema.org/${type}"]`).length;
  if (/^(og:)?product(\.item)?$/i.test(declared) || has(/^Product(Group)?$/) === 1 || scopes('Product') === 1)
    return 'product';
  const isArticle =
    /^article$/i.test(declared) ||
    has(/(Article|BlogPosting|Report)$/) > 0 ||
    scopes('Article') + scopes('NewsArticle') + scopes('BlogPosting') === 1 ||
    page.querySelector('meta[property="article:published_time" i]') !== null;
  return isArticle ? 'article' : undefined;
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
