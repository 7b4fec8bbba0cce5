import type { Guide } from '@/lib/discovery/site-config';

/** The pages of the documentation in the order in which a newcomer reads them. */

/** A page in the sidebar. */
export interface DocsEntry {
  readonly path: string;
  readonly title: string;
  /** Pages below this one. The sidebar shows them while this page or one of them is open. */
  readonly entries?: readonly DocsEntry[];
}

/** A group of pages in the sidebar. */
export interface DocsSection {
  readonly title: string;
  /** The page that leads to those of the section, if there is one. */
  readonly path?: string;
  readonly entries: readonly DocsEntry[];
}

/** A part of the documentation with its own overview and sidebar: for callers, or for those who run a service. */
export interface DocsArea {
  readonly path: string;
  /** The first crumb. */
  readonly title: string;
  readonly sections: readonly DocsSection[];
  /** The overview of the other area. */
  readonly other: DocsEntry;
}

/** What the sidebars are made from. */
export interface DocsPages {
  readonly guides: readonly Guide[];
  readonly operatorGuides: readonly Guide[];
  readonly incidents: readonly Guide[];
  readonly decisions: readonly Guide[];
  /** The groups of the reference with their calls. */
  readonly reference: readonly DocsEntry[];
}

/** The guides of each section, by name. A guide that is named nowhere stands at the end of the last section. */
const sections = [
  ['Start', ['getting-started', 'wallet']],
  [
    'Concepts',
    [
      'payments',
      'lost-answers',
      'refunds',
      'prepaid-accounts',
      'receipts',
      'limits',
      'reliability',
      'security',
    ],
  ],
  ['Services', ['uploads', 'html-to-pdf', 'forms', 'research', 'flights']],
  [
    'Clients',
    [
      'paying-with-x402',
      'paying-with-mpp',
      'payment-channels',
      'typed-clients',
      'client',
      'mcp',
      'wallet-lists',
    ],
  ],
] as const;

/** The names of the guides for callers, in the order of the sidebar. Others follow by name. */
export const guideOrder: readonly string[] = sections.flatMap(([, names]) => [...names]);

const discoveryGuide = 'discovery';
const docs = { path: '/docs', title: 'Docs' };
const selfHosting = { path: '/docs/self-hosting', title: 'Self-hosting' };

/** The area of callers, which has every page that the other one does not have. */
export function callersArea({ guides, reference }: DocsPages): DocsArea {
  const named: readonly string[] = [...guideOrder, discoveryGuide];
  const others = guides.filter(({ name }) => !named.includes(name));
  const written = sections.map(([title, names], at) => ({
    title,
    entries: [
      ...names.flatMap((name) => guides.filter((guide) => guide.name === name)),
      ...(at === sections.length - 1 ? others : []),
    ].map(guideEntry),
  }));
  return {
    ...docs,
    other: selfHosting,
    sections: [
      ...written,
      {
        title: 'Reference',
        path: '/docs/reference',
        entries: [
          { path: '/docs/reference', title: 'All calls' },
          ...reference,
          { path: '/docs/errors', title: 'Errors' },
          ...guides.filter(({ name }) => name === discoveryGuide).map(guideEntry),
        ],
      },
      {
        title: 'This service',
        entries: [
          { path: '/docs/status', title: 'Status' },
          { path: '/docs/changelog', title: 'Changelog' },
        ],
      },
    ],
  };
}

/** The area of those who run a service of their own. */
export function operatorsArea({ operatorGuides, incidents, decisions }: DocsPages): DocsArea {
  const isAboutIncidents = ({ name }: Guide) => name === 'incidents';
  return {
    ...selfHosting,
    other: docs,
    sections: [
      {
        title: 'Run a service',
        entries: operatorGuides.filter((guide) => !isAboutIncidents(guide)).map(guideEntry),
      },
      {
        title: 'Incidents',
        entries: [...operatorGuides.filter(isAboutIncidents), ...incidents].map(guideEntry),
      },
      { title: 'Design decisions', entries: decisions.map(guideEntry) },
    ],
  };
}

const guideEntry = ({ name, title }: Guide): DocsEntry => ({ path: `/docs/${name}`, title });

/** Whether a page or one below it has this path. */
export function holds(entry: DocsEntry, path: string): boolean {
  return entry.path === path || (entry.entries ?? []).some((one) => holds(one, path));
}

/** The breadcrumb of a page in its section: the pages above it, and itself. Empty if the sidebar does not have the page. */
export function trailTo(sections: readonly DocsSection[], path: string): readonly DocsEntry[] {
  return sections.flatMap(({ entries }) => entriesTo(entries, path));
}

function entriesTo(entries: readonly DocsEntry[], path: string): readonly DocsEntry[] {
  const entry = entries.find((one) => holds(one, path));
  return entry ? [entry, ...entriesTo(entry.entries ?? [], path)] : [];
}

/** The section of a page. */
export function sectionOf(sections: readonly DocsSection[], path: string): DocsSection | undefined {
  return sections.find(({ entries }) => entries.some((entry) => holds(entry, path)));
}

const flat = (entries: readonly DocsEntry[]): DocsEntry[] =>
  entries.flatMap((entry) => [entry, ...flat(entry.entries ?? [])]);

/** The pages before and after a page, in the order of the sidebar. */
export function neighbors(
  { path: start, sections }: DocsArea,
  path: string,
): { readonly previous?: DocsEntry; readonly next?: DocsEntry } {
  const all = [{ path: start, title: 'Overview' }, ...sections.flatMap(({ entries }) => flat(entries))];
  const at = all.findIndex((entry) => entry.path === path);
  return at < 0 ? {} : { previous: all[at - 1], next: all[at + 1] };
}
