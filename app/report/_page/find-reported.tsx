import type { ReactNode } from 'react';
import { RequestReference } from '@/app/_page/request-reference';
import { ReportLinkForm } from '@/app/_site/legal/report-link-form';
import { ProblemWith, servedPage } from '@/app/_site/served-page';
import { currentApp } from '@/lib/app/current';
import { type PageAnswer, pageRoute } from '@/lib/http/page-route';

/** Serves /report?link=, which leads from the link of a form or a file to the page where it is reported. */

const title = 'Report a form or a file';

/** `GET /report` */
export const findReported = pageRoute(
  currentApp,
  async ({ request }) => {
    const { searchParams } = new URL(request.url);
    const link = searchParams.get('link');
    const target = link === null ? null : reportPath(link.trim());
    if (target !== null) return { status: 303, headers: { Location: target } };
    return link === null ? page(200, title, <ReportLinkForm />) : withProblem(link);
  },
  ({ requestId }, status) =>
    page(
      status,
      'Something went wrong',
      <>
        <p>Something went wrong on our side. Try again in a few minutes.</p>
        <RequestReference id={requestId} />
      </>,
    ),
);

/** The page where the content of a link is reported; null if the link is none of this service. */
function reportPath(link: string): string | null {
  const { PUBLIC_URL: publicUrl, FILES_URL: filesUrl } = currentApp().settings;
  // People copy links without their beginning.
  const url = URL.parse(/^[a-z]+:\/\//i.test(link) ? link : `https://${link}`);
  const [first = '', second = ''] = url?.pathname.split('/').slice(1) ?? [];
  if (url?.host === new URL(filesUrl).host && /^[0-9A-Za-z]{22,64}$/.test(first)) return `/report/${first}`;
  if (url?.host !== new URL(publicUrl).host) return null;
  return first === 'f' && /^fm_[0-9A-Za-z]{1,61}$/.test(second) ? `/f/${second}/report` : null;
}

function withProblem(link: string): Promise<PageAnswer> {
  const error =
    link.trim() === ''
      ? 'Paste the link of a form or a file'
      : `Paste a link of this service: it starts with ${currentApp().settings.PUBLIC_URL}/f/ or ${currentApp().settings.FILES_URL}/`;
  return page(
    422,
    `Error: ${title}`,
    <>
      <ProblemWith id="link" error={error} />
      <ReportLinkForm link={link} error={error} />
    </>,
  );
}

function page(status: number, documentTitle: string, children: ReactNode): Promise<PageAnswer> {
  return servedPage({
    path: '/report',
    title,
    description: 'Report a form or a file of this service by its link.',
    status,
    documentTitle,
    children: (
      <>
        {children}
        <p>
          <a href="/abuse">More about reports</a>
        </p>
      </>
    ),
  });
}
