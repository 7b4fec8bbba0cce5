import MiniSearch, { type SearchResult } from 'minisearch';
import { type ErrorCode, errors } from '@/lib/catalog/errors/codes';
import { everything, referencePath } from '@/lib/discovery/contents';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { sectionsOf } from '../guide';
import { findGuide, listOperatorGuides } from '../site-config';

/** Finds pages and sections of the documentation: guides by heading, calls, and errors. */

/** A page or a section of one. */
export interface Found {
  /** With the anchor of a section. */
  readonly path: string;
  readonly title: string;
  /** The page or the part of the documentation that it belongs to. */
  readonly place: string;
  /** How it begins. */
  readonly text: string;
}

/** How much a match counts, depending on what it is in. Most people who search want to do something, then to read about it. */
const weights = { call: 4, guide: 3, section: 1.5, error: 0.6 } as const;

interface Entry extends Found {
  readonly kind: keyof typeof weights;
}

const foundMax = 20;
const textLengthMax = 160;

let index: Promise<MiniSearch<Entry>> | undefined;

/** The best matches for some words, best first. */
export async function searchDocs(words: string, site: SiteConfig): Promise<readonly Found[]> {
  // Catalog and guides do not change while the process runs.
  index ??= buildIndex(site);
  const found = (await index).search(words);
  const some = found.length > 0 ? found : (await index).search(words, { combineWith: 'OR' });
  const named = some.filter(({ title }) => title.toLowerCase() === words.toLowerCase());
  return [...new Set([...named, ...some])].slice(0, foundMax).map(shown);
}

function shown({ path, title, place, text }: SearchResult): Found {
  const start = String(text).slice(0, textLengthMax);
  const isCut = String(text).length > textLengthMax;
  return { path, title, place, text: isCut ? `${start.replace(/\s+\S*$/, '')}…` : start };
}

async function buildIndex(site: SiteConfig): Promise<MiniSearch<Entry>> {
  const search = new MiniSearch<Entry>({
    idField: 'path',
    fields: ['title', 'place', 'text'],
    storeFields: ['kind', 'path', 'title', 'place', 'text'],
    searchOptions: {
      boost: { title: 4, place: 2 },
      boostDocument: (_id, _term, stored) => weights[stored?.kind as Entry['kind']],
      combineWith: 'AND',
      prefix: true,
      // Typos are tolerated in words that are long enough to be recognized.
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  });
  search.addAll([...calls(), ...errorCodes(), ...(await guideSections(site))]);
  return search;
}

function calls(): Entry[] {
  return [...everything.operations, ...everything.freeOperations].map((call) => {
    const paths = 'paths' in call ? Object.values(call.paths) : [call.path];
    return {
      kind: 'call',
      path: referencePath(call),
      title: call.title,
      place: 'Reference',
      text: `${call.summary} ${paths.map((one) => `${call.method} ${one}`).join(', ')}`,
    };
  });
}

function errorCodes(): Entry[] {
  return (Object.keys(errors) as ErrorCode[]).map((code) => ({
    kind: 'error',
    path: `/docs/errors#${code}`,
    title: code,
    place: 'Errors',
    text: `${errors[code].status}: ${errors[code].message} ${errors[code].cause}`,
  }));
}

async function guideSections({ guides }: SiteConfig): Promise<Entry[]> {
  const forOperators = await listOperatorGuides();
  const all = [...guides, ...forOperators.guides, ...forOperators.incidents];
  const found = await Promise.all(
    all.map(async ({ name, title }) => {
      const { text = '' } = (await findGuide(name)) ?? {};
      return sectionsOf(text).map((section) => ({
        kind: section.id === null ? ('guide' as const) : ('section' as const),
        path: section.id === null ? `/docs/${name}` : `/docs/${name}#${section.id}`,
        title: section.title,
        place: section.id === null ? 'Guides' : title,
        text: section.text,
      }));
    }),
  );
  // Two headings of a page may have the same anchor.
  return [...new Map(found.flat().map((one) => [one.path, one])).values()];
}
