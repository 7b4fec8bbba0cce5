import { categories } from '@/lib/catalog/categories';
import { commonPath } from '@/lib/discovery/contents';
import type { SiteConfig } from '@/lib/discovery/site-config';
import type { Page } from '../page';
import { groups } from '../reference/calls';
import { listOperatorGuides } from '../site-config';
import { changelogDescription } from './changelog';
import { errorsPage } from './errors-page';
import type { DocsEntry } from './navigation';
import { areaOf } from './sections';
import { statusDescription } from './status-page';

const overviews: Readonly<Record<string, Pick<Page, 'title' | 'description'>>> = {
  '/docs': {
    title: 'Documentation',
    description: 'Make a paid call, look up a price, a field or an error, and connect your assistant.',
  },
  '/docs/self-hosting': {
    title: 'Self-hosting',
    description: 'Run a service of your own, keep it running, and know why it is built as it is.',
  },
};

/** `GET /docs` and `GET /docs/self-hosting`: the pages of an area, each with what it is about. Null for other paths. */
export async function docsOverview(path: string, site: SiteConfig): Promise<Page | null> {
  const overview = Object.hasOwn(overviews, path) ? overviews[path] : undefined;
  if (!overview) return null;
  const summaries = await listSummaries(site);
  const area = await areaOf(path, site);
  const sections = area.sections.map(({ title, entries }) => ({
    id: title.toLowerCase().replaceAll(' ', '-'),
    title,
    entries: entries.map((entry) => withSummary(entry, summaries)),
  }));
  return {
    ...overview,
    headings: sections.map(({ id, title }) => ({ id, title, level: 2 })),
    body: () => (
      <>
        <h1>{overview.title}</h1>
        <p className="lead">{overview.description}</p>
        {sections.map(({ id, title, entries }) => (
          <section key={id} aria-labelledby={id}>
            <h2 id={id}>{title}</h2>
            <ul className="cards">
              {entries.map((entry) => (
                <li key={entry.path}>
                  <a href={entry.path}>{entry.title}</a>
                  <p>{entry.summary}</p>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </>
    ),
    markdown: () => {
      const lists = sections.map(({ title, entries }) => {
        const lines = entries.map(
          (entry) => `- [${entry.title}](${site.publicUrl}${entry.path}.md): ${entry.summary}`,
        );
        return `## ${title}\n\n${lines.join('\n')}`;
      });
      return `${[`# ${overview.title}`, overview.description, ...lists].join('\n\n')}\n`;
    },
  };
}

function withSummary(entry: DocsEntry, summaries: ReadonlyMap<string, string>) {
  const summary = summaries.get(entry.path);
  if (summary === undefined) throw new Error(`the overview does not know what ${entry.path} is about`);
  return { ...entry, summary };
}

async function listSummaries({ guides }: SiteConfig): Promise<ReadonlyMap<string, string>> {
  const { guides: forOperators, incidents, decisions } = await listOperatorGuides();
  return new Map([
    ...[...guides, ...forOperators, ...incidents, ...decisions].map(
      ({ name, summary }) => [`/docs/${name}`, summary] as const,
    ),
    ['/docs/reference', 'Every call with its fields, price, response and errors.'],
    [commonPath, 'Payment, retries, lists, headers, limits and errors of all calls.'],
    ...groups.map(
      ({ path, calls: [first] }) => [path, categories[first?.category ?? 'service'].description] as const,
    ),
    ['/docs/errors', errorsPage.description],
    ['/docs/status', statusDescription],
    ['/docs/changelog', changelogDescription],
  ]);
}
