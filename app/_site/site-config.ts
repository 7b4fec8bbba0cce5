import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { currentApp } from '@/lib/app/current';
import type { Guide, SiteConfig } from '@/lib/discovery/site-config';
import { operatorDetails } from '@/lib/platform/public-operator';
import { isAvailable, paymentFlowOf } from '@/lib/platform/upstream/availability';
import { adapterDigests } from './adapter-files';
import { guideOrder } from './docs/navigation';

/** Pages for operators, in the order in which a newcomer needs them. */
const forOperators = [
  'first-sale',
  'deploying',
  'operating',
  'operating-calls',
  'operating-services',
  'legal-pages',
  'operating-channels',
  'metrics',
  'tracing',
  'incidents',
  'scaling',
];
/** Pages for people who change the code; the site does not have them. */
const forContributors = ['sandbox-providers'];

const folder = () => path.join(process.cwd(), 'docs');

/** The public URL, networks and guides of this service. Networks that are temporarily down are included. */
export async function readSiteConfig(): Promise<SiteConfig> {
  const { networks } = currentApp().payments;
  return {
    publicUrl: currentApp().settings.PUBLIC_URL,
    offers: networks.all(),
    isTest: currentApp().settings.NETWORKS === 'test',
    linkLimits: currentApp().linkTraffic.limits,
    operator: operatorDetails(currentApp().settings),
    guides: await listGuides(),
    source: {
      url: currentApp().settings.SOURCE_URL ?? null,
      editUrl: currentApp().settings.SOURCE_EDIT_URL ?? null,
    },
    adapterDigests: await adapterDigests(),
    isAvailable: (operation) => isAvailable(currentApp(), operation),
    flowOf: (operation) => paymentFlowOf(currentApp(), operation),
  };
}

let guides: Promise<readonly Guide[]> | undefined;

/** The guides: the pages in `docs` for callers. */
export function listGuides(): Promise<readonly Guide[]> {
  guides ??= namesIn('').then((names) => {
    const rank = (name: string) => (guideOrder.includes(name) ? guideOrder.indexOf(name) : guideOrder.length);
    const others = [...forOperators, ...forContributors];
    const found = names.filter((name) => !others.includes(name));
    return guidesOf(found.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1)));
  });
  return guides;
}

/** The pages in `docs` for operators, those about incidents and those about decisions. They are the same for every service, so agents are not told of them. */
export interface OperatorGuides {
  readonly guides: readonly Guide[];
  readonly incidents: readonly Guide[];
  /** Why the service is built as it is. */
  readonly decisions: readonly Guide[];
}

let operatorGuides: Promise<OperatorGuides> | undefined;

/** Lists them in the order in which they are read. */
export function listOperatorGuides(): Promise<OperatorGuides> {
  operatorGuides ??= readOperatorGuides();
  return operatorGuides;
}

async function readOperatorGuides(): Promise<OperatorGuides> {
  const inFolder = async (parent: string) => guidesOf((await namesIn(parent)).sort());
  return {
    guides: await guidesOf(forOperators),
    incidents: await inFolder('incidents/'),
    decisions: await inFolder('decisions/'),
  };
}

/** The names of the pages in a folder of `docs`, such as `incidents/`. */
async function namesIn(parent: string): Promise<string[]> {
  const files = await readdir(path.join(folder(), parent));
  return files.filter((file) => file.endsWith('.md')).map((file) => parent + file.slice(0, -'.md'.length));
}

async function guidesOf(names: readonly string[]): Promise<Guide[]> {
  const found = await Promise.all(names.map(findGuide));
  return found.filter((guide) => guide !== null);
}

/** What a page says about itself before its Markdown, as GitHub shows it too. */
const frontMatter = /^---\nsummary: (.+)\n---\n+/;

/** The title and the summary of a page; a page without a summary has its first sentence. */
function opening(markdown: string, summary: string | undefined): Pick<Guide, 'title' | 'summary'> {
  const [title = '', first = ''] = markdown.split(/\n{2,}/);
  const [sentence = ''] = first.replaceAll('\n', ' ').split(/(?<=[.!?]) (?=[A-Z`])/);
  return {
    title: title.replace(/^#\s*/, '').trim(),
    summary: summary ?? sentence.replaceAll(/[`*]|\[|\]\([^)]*\)/g, ''),
  };
}

/** A page with its Markdown. */
export interface GuideText extends Guide {
  readonly text: string;
}

/** Whether a page in `docs` is on the site. */
export function isOnSite(name: string): boolean {
  return /^((incidents|decisions)\/)?[a-z0-9-]+$/.test(name) && !forContributors.includes(name);
}

/** The page with a name such as `operating` or `decisions/refunds`; null if the site has none. */
export async function findGuide(name: string): Promise<GuideText | null> {
  if (!isOnSite(name)) return null;
  const text = await readFile(path.join(folder(), `${name}.md`), 'utf8').catch(() => null);
  if (text === null) return null;
  const [before = '', summary] = frontMatter.exec(text) ?? [];
  const markdown = text.slice(before.length);
  return { name, ...opening(markdown, summary), text: markdown };
}
