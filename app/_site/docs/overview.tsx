import type { SiteConfig } from '@/lib/discovery/site-config';
import type { Page } from '../page';
import { listOperatorGuides } from '../site-config';
import { errorsPage } from './errors-page';
import type { DocsEntry } from './navigation';
import { listDocsSections } from './sections';

/** `GET /docs`: the pages of the sidebar, each with what it is about. */
export async function docsOverview(site: SiteConfig): Promise<Page> {
  const summaries = await listSummaries(site);
  const sections = (await listDocsSections(site)).map(({ title, entries }) => ({
    id: title.toLowerCase().replaceAll(' ', '-'),
    title,
    entries: entries.filter(({ path }) => path !== '/docs').map((entry) => withSummary(entry, summaries)),
  }));
  return {
    title: 'Documentation',
    description: 'Guides and reference: paying with x402 and MPP, errors, all calls.',
    headings: sections.map(({ id, title }) => ({ id, title, level: 2 })),
    body: () => (
      <>
        <h1>Documentation</h1>
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
      return `${['# Documentation', ...lists].join('\n\n')}\n`;
    },
  };
}

function withSummary(entry: DocsEntry, summaries: ReadonlyMap<string, string>) {
  const summary = summaries.get(entry.path);
  if (summary === undefined) throw new Error(`the overview does not know what ${entry.path} is about`);
  return { ...entry, summary };
}

async function listSummaries({ guides }: SiteConfig): Promise<ReadonlyMap<string, string>> {
  const forOperators = await listOperatorGuides();
  return new Map([
    ...[...guides, ...forOperators.guides].map(({ name, summary }) => [`/docs/${name}`, summary] as const),
    ['/docs/reference', 'Every call with its fields, price, response and errors.'],
    ['/docs/errors', errorsPage.description],
    ['/docs/status', 'Which networks and services are available now.'],
    ['/docs/changelog', 'Changes for callers, users and operators of the service.'],
  ]);
}
