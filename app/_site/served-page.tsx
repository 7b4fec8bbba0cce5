import type { ReactNode } from 'react';
import { renderPage } from '@/app/_page/render';
import { ProblemList, SummaryBox } from '@/app/_page/summary-box';
import { currentApp } from '@/lib/app/current';
import { pageAssets } from '@/lib/http/page-assets';
import { type PageAnswer, pageGuards } from '@/lib/http/page-route';
import { Frame } from './frame';

/** A page in the frame of the site that is made for each request, unlike those of `pages.tsx`. */
interface ServedPage {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly status: number;
  /** The title of the document, where it says the outcome. */
  readonly documentTitle?: string;
  readonly children: ReactNode;
}

export async function servedPage(page: ServedPage): Promise<PageAnswer> {
  const { path, title, description, status, documentTitle = title, children } = page;
  const { PUBLIC_URL: publicUrl } = currentApp().settings;
  const frame = { assets: await pageAssets('site'), publicUrl, path, description };
  return {
    status,
    html: await renderPage(
      <Frame {...frame} title={documentTitle}>
        <h1>{title}</h1>
        {children}
      </Frame>,
    ),
    // The frame has a script of the site.
    headers: pageGuards("'self'"),
  };
}

/** The error summary of a form with one wrong field. */
export function ProblemWith({ id, error }: { id: string; error: string }): ReactNode {
  return (
    <SummaryBox title="There is a problem">
      <ProblemList problems={[{ text: error, field: id }]} />
    </SummaryBox>
  );
}
