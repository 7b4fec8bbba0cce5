import type { ReactNode } from 'react';
import { renderPage } from '@/app/_page/render';
import { currentApp } from '@/lib/app/current';
import { ApiError } from '@/lib/errors/api-error';
import { readBytes } from '@/lib/http/body';
import { pageAssets } from '@/lib/http/page-assets';
import { type PageAnswer, type PageRequest, pageRoute } from '@/lib/http/page-route';
import {
  type FileReportReason,
  fileReportReasons,
  findReportable,
  reportFile,
} from '@/lib/services/uploads/report';
import { type Draft, ReportDocument, ReportForm } from './document';

/** Serves the page at /report/{token of a public link}, where anybody reports a file. */

/** Room for the longest details, with nine bytes for each character. */
const postBytesMax = 16_384;

async function page(status: number, title: string, children: ReactNode): Promise<PageAnswer> {
  const assets = await pageAssets('f');
  return {
    status,
    html: await renderPage(<ReportDocument {...{ assets, title }}>{children}</ReportDocument>),
  };
}

const formPage = (status: number, draft: Draft) =>
  page(status, 'Report a file', <ReportForm draft={draft} />);

/** A route for a file that can be seen; otherwise it says that there is none. */
function fileRoute(work: (uploadId: string, asked: PageRequest) => Promise<PageAnswer>) {
  return pageRoute(
    currentApp,
    async (asked) => {
      const { token } = asked.params;
      const upload = typeof token === 'string' ? await findReportable(currentApp(), token) : null;
      if (!upload)
        return page(404, 'There is no file at this link', <p>It may have expired or been removed.</p>);
      return work(upload.id, asked);
    },
    (_, status) => page(status, 'This did not work', <p>Go back and try again in a minute.</p>),
  );
}

/** `GET /report/{token}` */
export const showReport = fileRoute(() => formPage(200, { reason: '', details: '', problem: null }));

/** `POST /report/{token}` */
export const takeReport = fileRoute(async (id, { request, address }) => {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) throw new ApiError('malformed_request');
  const post = new URLSearchParams(Buffer.from(await readBytes(request, postBytesMax)).toString('utf8'));
  const draft = { reason: post.get('reason') ?? '', details: post.get('details') ?? '' };
  const { reason, details } = draft;
  if (!isReason(reason)) return formPage(422, { ...draft, problem: 'Choose what is wrong with the file.' });
  const isRecorded = await reportFile(currentApp(), id, { reason, details, address });
  if (!isRecorded) {
    const problem = 'Too many reports came from your address. Try again in an hour.';
    return formPage(429, { ...draft, problem });
  }
  return page(200, 'Your report was sent', <p>Thank you. The operator will look at the file.</p>);
});

function isReason(value: string): value is FileReportReason {
  return Object.hasOwn(fileReportReasons, value);
}
