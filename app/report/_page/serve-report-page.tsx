import type { ReactNode } from 'react';
import { renderPage } from '@/app/_page/render';
import { findReportFault, writtenDetails } from '@/app/_page/report-problem';
import { RequestReference } from '@/app/_page/request-reference';
import { currentApp } from '@/lib/app/current';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { readBytes } from '@/lib/http/body';
import { pageAssets } from '@/lib/http/page-assets';
import { type PageAnswer, type PageRequest, pageRoute } from '@/lib/http/page-route';
import {
  type FileReportReason,
  fileReportReasons,
  findReportable,
  type Reportable,
  reportFile,
} from '@/lib/services/uploads/report-file';
import { type Draft, FileReport, isWrong, ReportDocument } from './document';
import { type ReportText, reportTextFor } from './words';

/** Serves the page at /report/{token of a public link}, where anyone reports a file, in a language of the reader. */

/** Room for the longest details, with nine bytes for each character. */
const postBytesMax = 16_384;

const textFor = ({ request }: PageRequest) => reportTextFor(request.headers.get('accept-language') ?? '');

/** A page with only a message. */
function page(text: ReportText, status: number, title: string, children: ReactNode): Promise<PageAnswer> {
  const content = (
    <>
      <h1>{title}</h1>
      {children}
    </>
  );
  return document(text, status, title, content);
}

async function document(
  text: ReportText,
  status: number,
  title: string,
  children: ReactNode,
): Promise<PageAnswer> {
  const frame = { assets: await pageAssets('f'), text, title };
  return { status, html: await renderPage(<ReportDocument {...frame}>{children}</ReportDocument>) };
}

function formPage(text: ReportText, status: number, file: Reportable, draft: Draft): Promise<PageAnswer> {
  const title = isWrong(draft) ? `${text.shared.error} ${text.own.title}` : text.own.title;
  return document(text, status, title, <FileReport text={text} file={file} draft={draft} />);
}

/** A route for a file that can be seen; otherwise it says that there is none. */
function fileRoute(
  work: (upload: Reportable, context: PageRequest, text: ReportText) => Promise<PageAnswer>,
) {
  return pageRoute(
    currentApp,
    async (context) => {
      const { token } = context.params;
      const text = textFor(context);
      const upload = typeof token === 'string' ? await findReportable(currentApp(), token) : null;
      if (!upload) return page(text, 404, text.own.missingTitle, <p>{text.own.missing}</p>);
      return work(upload, context, text);
    },
    (context, status) => {
      const text = textFor(context);
      const content = (
        <>
          <p>{text.shared.failed}</p>
          <RequestReference id={context.requestId} />
        </>
      );
      return page(text, status, text.shared.failedTitle, content);
    },
  );
}

/** `GET /report/{token}` */
export const showReport = fileRoute((upload, __, text) =>
  formPage(text, 200, upload, { reason: '', details: '', problem: null }),
);

/** `POST /report/{token}` */
export const takeReport = fileRoute(async (upload, { request, address }, text) => {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) throw new ApiError('malformed_request');
  const post = new URLSearchParams(Buffer.from(await readBytes(request, postBytesMax)).toString('utf8'));
  const draft = { reason: post.get('reason') ?? '', details: writtenDetails(post.get('details') ?? '') };
  const { reason, details } = draft;
  const problem = findReportFault(isReason(reason), details);
  if (problem !== null || !isReason(reason)) return formPage(text, 422, upload, { ...draft, problem });
  const isRecorded = await reportFile(currentApp(), upload.id, { reason, details, address });
  if (!isRecorded) return formPage(text, 429, upload, { ...draft, problem: 'tooMany' });
  return page(text, 200, text.shared.reportedTitle, <p>{text.own.thanks}</p>);
});

function isReason(value: string): value is FileReportReason {
  return fileReportReasons.some((one) => one === value);
}
