import MarkdownIt from 'markdown-it';
import type { ReactNode } from 'react';
import { about } from '@/lib/catalog/about';
import { testNotice } from '@/lib/catalog/test-service';
import { uploadPart } from '@/lib/discovery/contents';
import { llmsTxt } from '@/lib/discovery/llms';
import type { SiteConfig } from '@/lib/discovery/site-config';
import type { FindDocument, ServedDocument } from '@/lib/http/documents';
import { changelogDescription, changelogName, readChangelog } from './docs/changelog';
import { designPage } from './docs/design-page';
import { drawingsIn, findDrawing } from './docs/drawings';
import { errorsPage } from './docs/errors-page';
import { docsOverview } from './docs/overview';
import { type Figure, figuresIn } from './front/figures';
import { FirstCallSample } from './front/first-call';
import { Hero } from './front/hero';
import { HowPaymentWorks } from './front/payment';
import { Services } from './front/services';
import { WhereToStart } from './front/start';
import { WhyTrustIt } from './front/trust';
import { Guide, headingsOf } from './guide';
import { legalPage } from './legal/pages';
import { withSiteLinks } from './markdown-links';
import { missingPage } from './missing';
import { type Page, pageHeaders, pageHtml } from './page';
import { referencePage } from './reference/pages';
import { simulatorPage } from './simulator/page';
import { findGuide, listGuides, readSiteConfig } from './site-config';
import { onThisHost } from './words';

/** The line with which a guide asks its reader to save a program. */
const saveAs = /\bsave as `([\w-]+\.mjs)`:$/i;

let programs: Promise<ReadonlyMap<string, string>> | undefined;

/**
 * Finds a program in the guides, so that readers can download it.
 * @param name such as `pay.mjs`
 * @returns null if no guide has it
 */
async function findProgram(name: string): Promise<string | null> {
  programs ??= readPrograms();
  return (await programs).get(name) ?? null;
}

/** If two guides have programs with the same name, the first one counts. */
async function readPrograms(): Promise<ReadonlyMap<string, string>> {
  const guides = await listGuides();
  const texts = await Promise.all(guides.map(async ({ name }) => (await findGuide(name))?.text ?? ''));
  return new Map(texts.flatMap(programsIn).reverse());
}

function programsIn(markdown: string): [name: string, text: string][] {
  const tokens = new MarkdownIt().parse(markdown, {});
  return tokens.flatMap(({ type, content }, index): [string, string][] => {
    const name = saveAs.exec(tokens[index - 2]?.content ?? '')?.[1];
    return type === 'fence' && name ? [[name, content]] : [];
  });
}

/** The page of a path; null if there is none. */
export async function pageAt(path: string, site: SiteConfig): Promise<Page | null> {
  switch (path) {
    case '/': {
      const title = 'pay-per-call APIs for AI agents';
      const figures = figuresIn((await findGuide('reliability'))?.text ?? '');
      return {
        title,
        description: about.summary,
        body: () => <FrontPage site={site} figures={figures} />,
        markdown: () => llmsTxt(site),
      };
    }
    case '/docs/design':
      return designPage(site);
    case '/simulator':
      return simulatorPage;
    case '/docs/errors':
      return errorsPage;
    case '/docs/changelog': {
      const text = await readChangelog();
      const body = () => <Guide name={changelogName} text={text} />;
      // The contents have operators below a heading of their own.
      const headings = headingsOf(text).map(({ title, ...heading }) => ({
        ...heading,
        title: title.replace(' (operators)', ''),
      }));
      return {
        title: 'Changelog',
        description: changelogDescription,
        body,
        markdown: () => withSiteLinks(text, changelogName),
        headings,
        file: `docs/${changelogName}.md`,
      };
    }
  }
  return (
    (await docsOverview(path, site)) ??
    (await legalPage(path, site)) ??
    referencePage(path, site) ??
    guidePage(path, site)
  );
}

async function guidePage(path: string, { publicUrl }: SiteConfig): Promise<Page | null> {
  const guide = path.startsWith('/docs/') ? await findGuide(path.slice('/docs/'.length)) : null;
  if (!guide) return null;
  // Guides use this placeholder for the service's own URL.
  const markdown = onThisHost(guide.text, publicUrl);
  const drawings = await drawingsIn(markdown);
  return {
    title: guide.title,
    description: guide.summary,
    body: () => <Guide name={guide.name} text={markdown} drawings={drawings} />,
    markdown: () => withSiteLinks(markdown, guide.name),
    headings: headingsOf(markdown),
    file: `docs/${guide.name}.md`,
  };
}

/** Pages that have become another one. */
const moved: Readonly<Record<string, string>> = {
  // All calls for files, with the one for uploads among them.
  [`/docs/reference/${uploadPart}`]: '/docs/reference/files',
};

function redirect(from: string, to: string): ServedDocument {
  return {
    key: `moved ${from}`,
    status: 308,
    mediaType: 'text/plain; charset=utf-8',
    make: () => `This page is at ${to}\n`,
    headers: { ...pageHeaders, Location: to },
  };
}

/** Finds a page as HTML, or as Markdown under its `.md` path or if the client accepts only that. */
export const findPage: FindDocument = async ({
  path: requested,
  prefers,
}): Promise<ServedDocument | null> => {
  const path = requested.replace(/\.md$/, '');
  const site = await readSiteConfig();
  const program = /^\/docs\/([\w-]+\.mjs)$/.exec(path)?.[1];
  if (program) return programDocument(program);
  const drawing = /^\/docs\/(.+\.svg)$/.exec(path)?.[1];
  if (drawing) return drawingDocument(drawing);
  const target = Object.hasOwn(moved, path) ? moved[path] : undefined;
  if (target !== undefined) return redirect(requested, requested.replace(path, target));
  const page = await pageAt(path, site);
  if (!page) {
    const titleOf = async (other: string) => (await pageAt(other, site))?.title;
    return prefers === 'html' ? missingPage(path, site, titleOf) : null;
  }
  const isMarkdownPath = path !== requested;
  if (page.markdown && (isMarkdownPath || prefers === 'markdown')) {
    const { markdown } = page;
    const make = () => (site.isTest && path !== '/' ? `> ${testNotice}\n\n${markdown()}` : markdown());
    return { key: `${path} md`, mediaType: 'text/markdown; charset=utf-8', make, headers: pageHeaders };
  }
  if (isMarkdownPath) return null;
  return {
    key: path,
    mediaType: 'text/html; charset=utf-8',
    make: () => pageHtml(path, site, page),
    headers: pageHeaders,
  };
};

async function programDocument(name: string): Promise<ServedDocument | null> {
  const text = await findProgram(name);
  if (text === null) return null;
  return { key: name, mediaType: 'text/javascript; charset=utf-8', make: () => text, headers: pageHeaders };
}

async function drawingDocument(name: string): Promise<ServedDocument | null> {
  const drawing = await findDrawing(name);
  if (!drawing) return null;
  return { key: name, mediaType: 'image/svg+xml', make: () => drawing.svg, headers: pageHeaders };
}

/** What the service is, what it costs and how to start. */
function FrontPage({ site, figures }: { site: SiteConfig; figures: readonly Figure[] }): ReactNode {
  return (
    <>
      <Hero site={site} />
      <FirstCallSample site={site} />
      <Services site={site} />
      <HowPaymentWorks />
      <WhyTrustIt sourceUrl={site.source.url} figures={figures} />
      <WhereToStart site={site} />
    </>
  );
}
