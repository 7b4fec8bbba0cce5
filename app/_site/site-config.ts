import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { currentApp } from '@/lib/app/current';
import type { Guide, SiteConfig } from '@/lib/discovery/site-config';
import { isAvailable } from '@/lib/upstream/availability';

/** Pages in `docs` that are not for callers. */
const forOperators = ['deploying.md', 'metrics.md', 'operating.md', 'sandbox-providers.md', 'scaling.md'];
/** The order of guides. All others follow by name. */
const order = ['wallet', 'paying-with-x402', 'paying-with-mpp', 'lost-answers', 'uploads'];

const folder = () => path.join(process.cwd(), 'docs');

/** The public URL, networks and guides of this service. Networks that are temporarily down are included. */
export async function readSiteConfig(): Promise<SiteConfig> {
  const { networks } = currentApp().payments;
  return {
    publicUrl: currentApp().settings.PUBLIC_URL,
    offers: networks.all(),
    isTest: currentApp().settings.NETWORKS === 'test',
    guides: await listGuides(),
    isAvailable: (operation) => isAvailable(currentApp(), operation),
  };
}

let guides: Promise<readonly Guide[]> | undefined;

/** The guides: the pages in `docs` for callers. */
export function listGuides(): Promise<readonly Guide[]> {
  guides ??= readGuides();
  return guides;
}

async function readGuides(): Promise<readonly Guide[]> {
  const files = (await readdir(folder())).filter(
    (file) => file.endsWith('.md') && !forOperators.includes(file),
  );
  const found = await Promise.all(
    files.map(async (file) => {
      const name = file.slice(0, -'.md'.length);
      return { name, ...opening((await readGuide(name)) ?? '') };
    }),
  );
  const rank = ({ name }: Guide) => (order.includes(name) ? order.indexOf(name) : order.length);
  return found.sort((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1));
}

/** The title and the first sentence of a page. */
function opening(markdown: string): Pick<Guide, 'title' | 'summary'> {
  const [title = '', first = ''] = markdown.split(/\n{2,}/);
  const [sentence = ''] = first.replaceAll('\n', ' ').split(/(?<=[.!?]) (?=[A-Z`])/);
  return {
    title: title.replace(/^#\s*/, '').trim(),
    summary: sentence.replaceAll(/[`*]|\[|\]\([^)]*\)/g, ''),
  };
}

/** The Markdown of a guide; null if there is none with this name. */
export async function readGuide(name: string): Promise<string | null> {
  if (!/^[a-z0-9-]+$/.test(name) || forOperators.includes(`${name}.md`)) return null;
  return readFile(path.join(folder(), `${name}.md`), 'utf8').catch(() => null);
}
