import type { ReactElement } from 'react';
import { momentOf } from '@/app/_page/moment';
import { renderPage } from '@/app/_page/render';
import { findReportFault, writtenDetails } from '@/app/_page/report-problem';
import type { Translation } from '@/app/_page/translation';
import { currentApp } from '@/lib/app/current';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { readBytes } from '@/lib/http/body';
import { pageAssets } from '@/lib/http/page-assets';
import { type PageAnswer, type PageRequest, pageRoute } from '@/lib/http/page-route';
import { writtenAnswers } from '@/lib/services/forms/answers/check-answers';
import { type RawAnswers, rawAnswersOf } from '@/lib/services/forms/answers/fields';
import {
  findForm,
  formPath,
  type HostedForm,
  isReadable,
  type ReadableForm,
  statusOf,
} from '@/lib/services/forms/form';
import { prefill } from '@/lib/services/forms/links/prefill';
import { type ReportReason, reportForm, reportReasons } from '@/lib/services/forms/report-form';
import { findSentCopy } from '@/lib/services/forms/sent-copy';
import { newStamp } from '@/lib/services/forms/stamp';
import { type SubmissionOutcome, submitAnswers } from '@/lib/services/forms/submit';
import {
  directionOf,
  type PageText,
  pageTextFor,
  pageTextForReader,
  type Words,
} from '@/lib/services/forms/words';
import { ConfirmationPage, NoCopyPage } from './confirmation';
import { copyCookie, copyStampIn } from './copy-cookie';
import type { FormState, Notice } from './form-view';
import { linkOf, type OpenedLink, pageOf } from './opened-link';
import { BrokenLinkPage, ClosedPage, FormPage, MessagePage } from './pages';
import { ReportedPage, ReportPage } from './report-pages';

/** Serves the pages under /f. */

/** Room for 20 long answers of 5,000 characters that take nine bytes each when posted. */
const postBytesMax = 1_048_576;
/** Room for 20 questions with 50 options and a text for "other" each, and for the page's hidden fields. */
const postFieldsMax = 2_000;

async function html(
  status: number,
  page: ReactElement,
  headers?: Record<string, string>,
): Promise<PageAnswer> {
  return { status, html: await renderPage(page), headers };
}

async function frameOf(text: PageText, language: string, nonce: string) {
  const isForeign = new Intl.Locale(text.language).language !== new Intl.Locale(language).language;
  const attributes = isForeign ? { lang: text.language, dir: directionOf(text.language) } : {};
  const translation: Translation = {
    ...text,
    locale: isForeign ? text.language : language,
    attributes,
    ...(isForeign ? { authorLanguage: language } : {}),
  };
  return { translation, nonce, assets: await pageAssets('f') };
}

/** The frame of a page in the language of its form. */
const frameForForm = (form: ReadableForm, { nonce }: PageRequest) =>
  frameOf(pageTextFor(form.content.language), form.content.language, nonce);

/** The frame of a page without a form, in a language of the reader. */
function frameForReader({ request, nonce }: PageRequest) {
  const text = pageTextForReader(request.headers.get('accept-language') ?? '');
  return frameOf(text, text.language, nonce);
}

async function messagePage(pageRequest: PageRequest, status: number, word: 'gone' | 'missing') {
  return html(status, <MessagePage frame={await frameForReader(pageRequest)} word={word} />);
}

async function failedPage(pageRequest: PageRequest, status: number) {
  const { requestId } = pageRequest;
  const frame = await frameForReader(pageRequest);
  return html(status, <MessagePage frame={frame} word="failed" requestId={requestId} />);
}

/** A route for a form that can still be read; otherwise it shows why there is none. */
function formRoute(work: (form: ReadableForm, pageRequest: PageRequest) => Promise<PageAnswer>) {
  return pageRoute(
    currentApp,
    async (pageRequest) => {
      const { id } = pageRequest.params;
      const form = typeof id === 'string' ? await findForm(currentApp(), id) : null;
      if (!form) return messagePage(pageRequest, 404, 'missing');
      return isReadable(form, currentApp().clock.date())
        ? work(form, pageRequest)
        : messagePage(pageRequest, 410, 'gone');
    },
    failedPage,
  );
}

async function readPost(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) throw new ApiError('malformed_request');
  const text = Buffer.from(await readBytes(request, postBytesMax)).toString('utf8');
  // Parsing takes time for every field, and no form has more fields than this.
  if (text.split('&', postFieldsMax + 1).length > postFieldsMax) throw new ApiError('malformed_request');
  return new URLSearchParams(text);
}

/** `GET /f/{id}` */
export const showForm = formRoute(async (form, pageRequest) => {
  const now = currentApp().clock.date();
  if (statusOf(form, now) !== 'open') return closedFormPage(form, pageRequest, 200, {});
  const link = linkOf(form, pageRequest.request);
  if (!link) return brokenLinkPage(form, pageRequest, {});
  const { values, problems } = prefill(form.content, link.answers ?? {});
  const isPrefilled = Object.keys(values).length > 0;
  const stamp = newStamp(currentApp(), form.id, now);
  return openFormPage(form, pageRequest, 200, {
    values,
    problems,
    isPrefilled,
    stamp,
    ...pageOf(form, link),
  });
});

/** `POST /f/{id}`: redirects to the thank-you page, or shows the form again with the answers. */
export const takeAnswers = formRoute(async (form, pageRequest) => {
  const { request, address } = pageRequest;
  const post = await readPost(request);
  const raw = rawAnswersOf(form.content.questions, post);
  const isScript = (request.headers.get('accept') ?? '').startsWith('application/json');
  const link = linkOf(form, request);
  // The script posts the form again without it, and shows the page that says why.
  if (!link) {
    return isScript ? { status: 400, json: { isOver: true } } : brokenLinkPage(form, pageRequest, raw);
  }
  const stamp = post.get('stamp') ?? '';
  const submission = {
    raw,
    stamp,
    trap: post.get('contact_me_by') ?? '',
    address,
    isFromOurPage: isSameOriginPost(request),
    recipient: link.recipient ?? null,
  };
  const outcome = await submitAnswers(currentApp(), form, submission, currentApp().clock.date());
  return isScript
    ? respondToScript(form, outcome, stamp)
    : respondToBrowser(form, pageRequest, outcome, { raw, stamp, link });
});

/** Whether a post comes from a page of this origin, or the browser does not say. */
function isSameOriginPost({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' || site === 'none';
  const origin = headers.get('origin');
  return origin === null || URL.parse(origin)?.host === headers.get('host');
}

const statuses = { stored: 303, invalid: 422, again: 422, tooMany: 429, over: 409 } as const;

function noticeFor(outcome: SubmissionOutcome): Notice | null {
  if (outcome.kind === 'tooMany') return 'tooMany';
  if (outcome.kind !== 'again') return null;
  return outcome.why === 'tooOld' || outcome.why === 'alreadySent' ? outcome.why : 'again';
}

/** The stamp of the next page: the same one if the page may be sent again. */
function nextStamp(form: HostedForm, outcome: SubmissionOutcome, stamp: string): string {
  const isSpent = outcome.kind === 'again' && outcome.why !== 'tooFast';
  return isSpent ? newStamp(currentApp(), form.id, currentApp().clock.date()) : stamp;
}

function headersFor(outcome: SubmissionOutcome): Record<string, string> {
  return outcome.kind === 'tooMany' ? { 'Retry-After': String(outcome.retryAfterSeconds) } : {};
}

/** The response to the page's own script, which updates the page itself. */
function respondToScript(form: ReadableForm, outcome: SubmissionOutcome, stamp: string): PageAnswer {
  const headers = headersFor(outcome);
  if (outcome.kind === 'stored') {
    return { status: 200, json: { next: thanksPath(form) }, headers: copyHeaders(form, stamp) };
  }
  if (outcome.kind === 'over') return { status: statuses.over, json: { isOver: true } };
  const problems = outcome.kind === 'invalid' ? outcome.problems : [];
  const json = { problems, notice: noticeFor(outcome), stamp: nextStamp(form, outcome, stamp) };
  return { status: statuses[outcome.kind], json, headers };
}

async function respondToBrowser(
  form: ReadableForm,
  pageRequest: PageRequest,
  outcome: SubmissionOutcome,
  { raw, stamp, link }: { raw: RawAnswers; stamp: string; link: OpenedLink },
): Promise<PageAnswer> {
  const status = statuses[outcome.kind];
  if (outcome.kind === 'stored') {
    return { status, headers: { Location: thanksPath(form), ...copyHeaders(form, stamp) } };
  }
  if (outcome.kind === 'over') {
    // Read the form again: it may have closed since the request began.
    const current = await findForm(currentApp(), form.id);
    if (!current || !isReadable(current, currentApp().clock.date()))
      return messagePage(pageRequest, 410, 'gone');
    return closedFormPage(current, pageRequest, status, raw);
  }
  const next = {
    values: raw,
    stamp: nextStamp(form, outcome, stamp),
    problems: outcome.kind === 'invalid' ? outcome.problems : [],
    notice: noticeFor(outcome),
    ...pageOf(form, link),
  };
  return openFormPage(form, pageRequest, status, next, headersFor(outcome));
}

async function openFormPage(
  form: ReadableForm,
  pageRequest: PageRequest,
  status: number,
  part: Pick<FormState, 'values' | 'stamp' | 'action'> & Partial<FormState>,
  headers?: Record<string, string>,
): Promise<PageAnswer> {
  const frame = await frameForForm(form, pageRequest);
  const { title, description, questions, language, submitLabel } = form.content;
  const state: FormState = {
    content: { title, description, questions, language, submitLabel },
    openUntil: momentOf(form.closesAt, frame.translation),
    translation: { ...frame.translation, words: wordsOfForm(frame.translation.words) },
    problems: [],
    notice: null,
    ...part,
  };
  return html(status, <FormPage frame={frame} form={form} state={state} />, headers);
}

const elsewhere =
  /^(thanks|noCopy|copyKept|sent|print|unanswered|closed|full|over(?!By)|gone|missing|linkBroken|failed|unsent|hosted|report|secrets|pretends|harm|otherReason|details|back|terms|privacy|contact)/;

/** The words that the form and its script need, without those of other pages, which would be sent for nothing. */
function wordsOfForm(words: Words): Words {
  return Object.fromEntries(Object.entries(words).filter(([word]) => !elsewhere.test(word))) as Words;
}

async function closedFormPage(
  form: ReadableForm,
  pageRequest: PageRequest,
  status: number,
  raw: RawAnswers,
): Promise<PageAnswer> {
  const formStatus = statusOf(form, currentApp().clock.date()) === 'full' ? 'full' : 'closed';
  const unsent = writtenAnswers(form.content, raw);
  return html(
    status,
    <ClosedPage
      frame={await frameForForm(form, pageRequest)}
      form={form}
      status={formStatus}
      unsent={unsent}
    />,
  );
}

async function brokenLinkPage(
  form: ReadableForm,
  pageRequest: PageRequest,
  raw: RawAnswers,
): Promise<PageAnswer> {
  const unsent = writtenAnswers(form.content, raw);
  return html(
    400,
    <BrokenLinkPage frame={await frameForForm(form, pageRequest)} form={form} unsent={unsent} />,
  );
}

function thanksPath(form: HostedForm): string {
  return `${formPath(form.id)}/thanks`;
}

/** Lets the browser show the copy of what was sent. */
function copyHeaders(form: HostedForm, stamp: string): Record<string, string> {
  return { 'Set-Cookie': copyCookie(currentApp().settings.PUBLIC_URL, thanksPath(form), stamp) };
}

/** `GET /f/{id}/thanks` */
export const showThanks = formRoute(async (form, pageRequest) => {
  const now = currentApp().clock.date();
  const copy = await findSentCopy(currentApp(), form.id, copyStampIn(pageRequest.request), now);
  const frame = await frameForForm(form, pageRequest);
  const page = copy ? (
    <ConfirmationPage frame={frame} form={form} copy={copy} />
  ) : (
    <NoCopyPage frame={frame} form={form} />
  );
  // No cache may keep the copy.
  return html(200, page, { 'Cache-Control': 'no-store' });
});

/** `GET /f/{id}/report` */
export const showReport = formRoute(async (form, pageRequest) => {
  const state = { reason: '', details: '', problem: null };
  return html(200, <ReportPage frame={await frameForReader(pageRequest)} form={form} state={state} />);
});

/** `POST /f/{id}/report` */
export const takeReport = formRoute(async (form, pageRequest) => {
  const post = await readPost(pageRequest.request);
  const reason = post.get('reason') ?? '';
  const details = writtenDetails(post.get('details') ?? '');
  const frame = await frameForReader(pageRequest);
  const isReason = (value: string): value is ReportReason => reportReasons.some((one) => one === value);
  const problem = findReportFault(isReason(reason), details);
  if (problem !== null || !isReason(reason)) {
    const state = { reason, details, problem };
    return html(422, <ReportPage frame={frame} form={form} state={state} />);
  }
  if (
    !(await reportForm(
      currentApp(),
      form.id,
      { reason, details, address: pageRequest.address },
      currentApp().clock.date(),
    ))
  ) {
    const state = { reason, details, problem: 'tooMany' as const };
    return html(429, <ReportPage frame={frame} form={form} state={state} />);
  }
  return html(200, <ReportedPage frame={frame} form={form} />);
});
