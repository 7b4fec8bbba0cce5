import MiniSearch, { type SearchResult } from 'minisearch';
import { type ErrorCode, errors } from '@/lib/catalog/errors/codes';
import { everything, referencePath } from '@/lib/discovery/contents';
import { legalPaths } from '@/lib/discovery/legal';
import type { Guide, SiteConfig } from '@/lib/discovery/site-config';
import { sectionsOf } from '../guide';
import { legalPage } from '../legal/pages';
import { findGuide, listOperatorGuides } from '../site-config';
import { markWords } from './marks';

/** Finds pages and sections: guides by heading, calls, errors, and the terms of this service. */

/** A page or a section of one. */
export interface Found {
  /** With the anchor of a section. */
  readonly path: string;
  readonly title: string;
  /** The page that a section belongs to; empty for a page. */
  readonly place: string;
  /** Where the words occur in it, or how it begins. */
  readonly text: string;
  /** The part of the site that it belongs to. */
  readonly group: string;
  /** The words in its title and text that were searched for, in lower case. */
  readonly words: readonly string[];
}

export interface FoundPages {
  /** The best matches, best first. */
  readonly results: readonly Found[];
  /** How many there are. */
  readonly total: number;
}

/**
 * How much a match counts, depending on what it is in. Most people who search want to do something, then to read about it.
 * Most are callers.
 */
const weights = { call: 4, guide: 3, section: 1.5, terms: 1.5, error: 0.6, operators: 0.2 } as const;

interface Entry extends Omit<Found, 'words'> {
  readonly kind: keyof typeof weights;
}

const foundMax = 20;
const textLengthMax = 160;

let index: Promise<MiniSearch<Entry>> | undefined;

export async function searchDocs(words: string, site: SiteConfig): Promise<FoundPages> {
  // Catalog and guides do not change while the process runs.
  index ??= buildIndex(site);
  const found = (await index).search(words);
  const some = found.length > 0 ? found : (await index).search(words, { combineWith: 'OR' });
  const named = some.filter(({ title }) => title.toLowerCase() === words.toLowerCase());
  const all = [...new Set([...named, ...some])];
  return { results: all.slice(0, foundMax).map(shown), total: all.length };
}

function shown({ path, title, place, text, group, terms }: SearchResult): Found {
  return { path, title, place, text: excerpt(String(text), terms), group, words: terms };
}

/** The part of a text around the first word that was found in it. */
function excerpt(text: string, words: readonly string[]): string {
  const [before] = markWords(text, words);
  const first = before?.isMatch || before?.text === text ? 0 : (before?.text.length ?? 0);
  const start = first < textLengthMax / 2 ? 0 : text.lastIndexOf(' ', first - 40) + 1;
  const part = text.slice(start, start + textLengthMax);
  const isCut = start + textLengthMax < text.length;
  return `${start > 0 ? '…' : ''}${isCut ? `${part.replace(/\s+\S*$/, '')}…` : part}`;
}

async function buildIndex(site: SiteConfig): Promise<MiniSearch<Entry>> {
  const search = new MiniSearch<Entry>({
    idField: 'path',
    fields: ['title', 'place', 'text'],
    storeFields: ['kind', 'path', 'title', 'place', 'text', 'group'],
    searchOptions: {
      boost: { title: 4, place: 2 },
      boostDocument: (_id, _term, stored) => weights[stored?.kind as Entry['kind']],
      combineWith: 'AND',
      prefix: true,
      // Typos are tolerated in words that are long enough to be recognized.
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  });
  const pages = [...(await guideSections(site)), ...(await termsSections(site))];
  // Two headings of a page may have the same anchor.
  search.addAll([...new Map([...calls(), ...errorCodes(), ...pages].map((one) => [one.path, one])).values()]);
  return search;
}

function calls(): Entry[] {
  return [...everything.operations, ...everything.freeOperations].map((call) => {
    const paths = 'paths' in call ? Object.values(call.paths) : [call.path];
    return {
      kind: 'call',
      path: referencePath(call),
      title: call.title,
      place: '',
      text: `${call.summary} ${paths.map((one) => `${call.method} ${one}`).join(', ')}`,
      group: 'Reference',
    };
  });
}

function errorCodes(): Entry[] {
  return (Object.keys(errors) as ErrorCode[]).map((code) => ({
    kind: 'error',
    path: `/docs/errors#${code}`,
    title: code,
    place: '',
    text: `${errors[code].status}: ${errors[code].message} ${errors[code].cause.replaceAll('`', '')}`,
    group: 'Errors',
  }));
}

async function guideSections({ guides }: SiteConfig): Promise<Entry[]> {
  const forOperators = await listOperatorGuides();
  const ofCallers = guides.map((guide) => entriesOf(guide, 'Guides'));
  const ofOperators = Object.values(forOperators).flatMap((some: readonly Guide[]) =>
    some.map((guide) => entriesOf(guide, 'Self-hosting', 'operators')),
  );
  return (await Promise.all([...ofCallers, ...ofOperators])).flat();
}

async function entriesOf({ name, title }: Guide, group: string, kind?: Entry['kind']): Promise<Entry[]> {
  const { text = '' } = (await findGuide(name)) ?? {};
  return sectionEntries(`/docs/${name}`, title, text, group, kind);
}

async function termsSections(site: SiteConfig): Promise<Entry[]> {
  const pages = legalPaths.map(async (path) => {
    const page = await legalPage(path, site);
    return sectionEntries(path, page?.title ?? '', page?.markdown?.() ?? '', 'Terms and policies', 'terms');
  });
  return (await Promise.all(pages)).flat();
}

function sectionEntries(
  path: string,
  title: string,
  text: string,
  group: string,
  kind?: Entry['kind'],
): Entry[] {
  return sectionsOf(text).map((section) => ({
    kind: kind ?? (section.id === null ? 'guide' : 'section'),
    path: section.id === null ? path : `${path}#${section.id}`,
    title: section.title,
    place: section.id === null ? '' : title,
    text: section.text,
    group,
  }));
}
