import { freeOperations, operations } from '@/lib/catalog';
import { about } from '@/lib/catalog/about';
import { withNotice } from '@/lib/catalog/test-service';
import { commonPath, referencePath } from '@/lib/discovery/contents';
import { links } from '@/lib/discovery/linkset';
import type { SiteConfig } from '@/lib/discovery/site-config';
import apiHeaders from '@/lib/http/api-headers.json' with { type: 'json' };
import type { FindDocument } from '@/lib/http/documents';
import { pageAt } from './pages';
import { readSiteConfig } from './site-config';

const llmsFullPath = '/llms-full.txt';

/** `/llms-full.txt`: the documentation for callers in one file, made of the Markdown of its pages. */
export const findLlmsFull: FindDocument = async ({ path }) => {
  if (path !== llmsFullPath) return null;
  const site = await readSiteConfig();
  return {
    key: path,
    mediaType: 'text/plain; charset=utf-8',
    make: () => llmsFull(site),
    headers: { ...apiHeaders, Link: links },
  };
};

async function llmsFull(site: SiteConfig): Promise<string> {
  const calls = [...operations.filter(site.isAvailable), ...freeOperations];
  const paths = [
    ...site.guides.map(({ name }) => `/docs/${name}`),
    commonPath,
    ...calls.map(referencePath),
    '/docs/errors',
  ];
  const texts = await Promise.all(
    paths.map(async (path) => {
      const page = await pageAt(path, site);
      return page?.markdown ? `<!-- ${site.publicUrl}${path} -->\n\n${page.markdown().trim()}` : null;
    }),
  );
  const head = `# ${about.name}\n\n> ${withNotice(site.isTest, about.summary)}\n\n${about.description}`;
  return `${[head, ...texts.filter((text) => text !== null)].join('\n\n')}\n`;
}
