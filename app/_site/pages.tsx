import type { ReactNode } from 'react';
import { renderPage } from '@/app/_page/render';
import { currentApp } from '@/lib/app/current';
import { about } from '@/lib/catalog/about';
import { parts } from '@/lib/discovery/contents';
import { links } from '@/lib/discovery/linkset';
import { chargedTable, llmsTxt } from '@/lib/discovery/llms';
import { openApiDocument } from '@/lib/discovery/openapi/document';
import type { Place } from '@/lib/discovery/place';
import { documentRoute, type ServedDocument } from '@/lib/http/document-route';
import { pageAssets } from '@/lib/http/page-assets';
import { pageGuards } from '@/lib/http/page-route';
import { DocsIndex, ErrorsPage, MissingPage } from './docs-pages';
import { Frame } from './frame';
import { FrontPage } from './front-page';
import { Guide } from './guide';
import { placeOfThisService, readGuide } from './place';
import { findProgram } from './programs';
import type { OpenApi } from './reference/described';
import { ReferenceIndex, ReferencePage } from './reference/page';

/** Every page of our own, by path. */

interface Page {
  readonly title: string;
  readonly description: string;
  readonly body: ReactNode;
  /** The same for readers of text, where there is one. */
  readonly markdown?: string;
}

/** The page of a path; null where there is none. */
async function findPage(path: string, place: Place): Promise<Page | null> {
  switch (path) {
    case '/': {
      const title = 'services that agents buy by the call';
      return {
        title,
        description: about.summary,
        body: <FrontPage place={place} />,
        markdown: llmsTxt(place),
      };
    }
    case '/docs': {
      const description = 'Guides and reference: paying with x402 and MPP, errors, every call.';
      return { title: 'Documentation', description, body: <DocsIndex place={place} /> };
    }
    case '/docs/errors': {
      const description = 'Every error code: whether it was charged, and what to do next.';
      const markdown = `# Errors\n\n${chargedTable()}\n`;
      return { title: 'Errors', description, body: <ErrorsPage />, markdown };
    }
    case '/docs/reference': {
      const description = 'Every call with its fields, prices, answers and errors.';
      return { title: 'Reference', description, body: <ReferenceIndex /> };
    }
  }
  return path.startsWith('/docs/reference/') ? referencePage(path, place) : guidePage(path, place);
}

function referencePage(path: string, place: Place): Page | null {
  const part = path.slice('/docs/reference/'.length);
  const contents = Object.hasOwn(parts, part) ? parts[part] : undefined;
  if (!contents) return null;
  // As readers of the document get it.
  const document = JSON.parse(JSON.stringify(openApiDocument(contents, place))) as OpenApi;
  return {
    title: `Reference: ${part}`,
    description: `The ${part} calls with their fields, prices, answers and errors.`,
    body: <ReferencePage part={part} document={document} publicUrl={place.publicUrl} />,
  };
}

async function guidePage(path: string, place: Place): Promise<Page | null> {
  const guide = place.guides.find(({ name }) => path === `/docs/${name}`);
  const text = guide ? await readGuide(guide.name) : null;
  if (!guide || text === null) return null;
  // Guides are written for an address that stands for this one.
  const markdown = text.replaceAll('https://api.example.com', place.publicUrl);
  return { title: guide.title, description: guide.summary, body: <Guide text={markdown} />, markdown };
}

async function html(path: string, place: Place, { title, description, body }: Page): Promise<string> {
  const assets = await pageAssets('site');
  return renderPage(
    <Frame assets={assets} publicUrl={place.publicUrl} path={path} title={title} description={description}>
      {body}
    </Frame>,
  );
}

const headers = { ...pageGuards("'self'"), Link: links, Vary: 'Accept' };

/** Serves a page as HTML; as Markdown under its `.md` name or to whoever asks for that alone. */
export const servePage = documentRoute(currentApp, async (request): Promise<ServedDocument | null> => {
  const { pathname } = new URL(request.url);
  const path = pathname.replace(/\.md$/, '');
  const place = await placeOfThisService();
  const program = /^\/docs\/([\w-]+\.mjs)$/.exec(path)?.[1];
  if (program) return programDocument(program, place);
  const page = await findPage(path, place);
  if (!page) return isForPeople(request) ? missing(place) : null;
  if (page.markdown !== undefined && (path !== pathname || wantsMarkdown(request))) {
    const { markdown } = page;
    return { key: `${path} md`, mediaType: 'text/markdown; charset=utf-8', make: () => markdown, headers };
  }
  if (path !== pathname) return null;
  return { key: path, mediaType: 'text/html; charset=utf-8', make: () => html(path, place, page), headers };
});

async function programDocument(name: string, place: Place): Promise<ServedDocument | null> {
  const text = await findProgram(
    name,
    place.guides.map((guide) => guide.name),
  );
  if (text === null) return null;
  return { key: name, mediaType: 'text/javascript; charset=utf-8', make: () => text, headers };
}

function missing(place: Place): ServedDocument {
  const page = { title: 'Not found', description: about.summary, body: <MissingPage /> };
  return {
    key: '404',
    status: 404,
    mediaType: 'text/html; charset=utf-8',
    make: () => html('/404', place, page),
    headers: { ...headers, 'X-Robots-Tag': 'noindex' },
  };
}

const accepted = (request: Request) => request.headers.get('accept') ?? '';
const isForPeople = (request: Request) => accepted(request).includes('text/html');
const wantsMarkdown = (request: Request) =>
  accepted(request).includes('text/markdown') && !isForPeople(request);
