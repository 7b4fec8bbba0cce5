import type { ReactNode } from 'react';
import { renderPage } from '@/app/_page/render';
import { links } from '@/lib/discovery/linkset';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { pageAssets } from '@/lib/http/page-assets';
import { pageGuards } from '@/lib/http/page-route';
import { DocsPage, DocsSidebar, type Heading } from './docs/layout';
import { areaOf } from './docs/sections';
import { Frame } from './frame';

/** A page of the site. */
export interface Page {
  readonly title: string;
  readonly description: string;
  readonly body: () => ReactNode;
  /** The page as Markdown, if there is such a version. */
  readonly markdown?: () => string;
  /** The file in the repository that it is written in; left out for pages that are made from several. */
  readonly file?: string;
  /** The headings that a page of the documentation lists in its table of contents. */
  readonly headings?: readonly Heading[];
  /** Whether its tables need all the room beside the sidebar, so that its contents do not stand beside them. */
  readonly isWide?: boolean;
}

/** The headers of every page. */
export const pageHeaders = { ...pageGuards("'self'"), Link: links, Vary: 'Accept' };

const isDocs = (path: string) => path === '/docs' || path.startsWith('/docs/');

/** Renders a page to HTML; one under `/docs` with the layout of the documentation. */
export async function pageHtml(path: string, site: SiteConfig, page: Page): Promise<string> {
  const assets = await pageAssets('site');
  const { title, description, body, headings = [], isWide, markdown, file } = page;
  const { editUrl } = site.source;
  const frame = { assets, publicUrl: site.publicUrl, path, title, description };
  if (!isDocs(path)) return renderPage(<Frame {...frame}>{body()}</Frame>);
  const area = await areaOf(path, site);
  return renderPage(
    <Frame {...frame} sidebar={<DocsSidebar area={area} path={path} />}>
      <DocsPage
        area={area}
        path={path}
        headings={headings}
        isWide={isWide}
        markdownPath={markdown ? `${path}.md` : undefined}
        editUrl={editUrl !== null && file ? `${editUrl}/${file}` : undefined}
      >
        {body()}
      </DocsPage>
    </Frame>,
  );
}
