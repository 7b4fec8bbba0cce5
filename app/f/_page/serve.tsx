import type { ReactElement } from 'react';
import { renderPage } from '@/app/_page/render';
import { currentApp } from '@/lib/app/current';
import { ApiError } from '@/lib/errors/api-error';
import { readBytes } from '@/lib/http/body';
import { pageAssets } from '@/lib/http/page-assets';
import { type PageAnswer, type PageRequest, pageRoute } from '@/lib/http/page-route';
import { writtenAnswers } from '@/lib/services/forms/answers/check';
import { type RawAnswers, rawAnswersOf } from '@/lib/services/forms/answers/fields';
import {
  findForm,
  formPath,
  type HostedForm,
  isReadable,
  type ReadableForm,
  statusOf,
} from '@/lib/services/forms/form';
import { type ReportReason, reportForm, reportReasons } from '@/lib/services/forms/report';
import { newStamp } from '@/lib/services/forms/stamp';
import { type SubmissionOutcome, submitAnswers } from '@/lib/services/forms/submit';
import { type Chrome, chromeFor, chromeForReader, directionOf } from '@/lib/services/forms/words';
import type { FormState, Notice } from './form-view';
import { FormPage, OverPage, ThanksPage, WordsPage } from './pages';
import { ReportedPage, ReportPage } from './report-pages';
import type { Speech } from './speech';

/** What is shown under /f, and when. */

/** 20 long answers, each of 5,000 characters that take nine bytes when posted. */
const postBytesMax = 1_048_576;
/** 20 questions of 50 options and one of one's own, and what the page itself adds. */
const postFieldsMax = 2_000;

async function html(
  status: number,
  page: ReactElement,
  headers?: Record<string, string>,
): Promise<PageAnswer> {
  return { status, html: await renderPage(page), headers };
}

async function frameOf(chrome: Chrome, language: string, nonce: string) {
  const isForeign = new Intl.Locale(chrome.language).language !== new Intl.Locale(language).language;
  const mark = isForeign ? { lang: chrome.language, dir: directionOf(chrome.language) } : {};
  const speech: Speech = { ...chrome, mark };
  return { speech, nonce, assets: await pageAssets('f') };
}

/** The frame of a page in the language of its form. */
const formFrame = (form: ReadableForm, { nonce }: PageRequest) =>
  frameOf(chromeFor(form.content.language), form.content.language, nonce);

/** The frame of a page that is ours alone, in a language of the reader. */
function readerFrame({ request, nonce }: PageRequest) {
  const chrome = chromeForReader(request.headers.get('accept-language') ?? '');
  return frameOf(chrome, chrome.language, nonce);
}

async function words(asked: PageRequest, status: number, word: 'gone' | 'missing' | 'failed') {
  return html(status, <WordsPage frame={await readerFrame(asked)} word={word} />);
}

/** A page about a form that can still be read; everybody else is told why there is none. */
function formRoute(work: (form: ReadableForm, asked: PageRequest) => Promise<PageAnswer>) {
  return pageRoute(
    currentApp,
    async (asked) => {
      const { id } = asked.params;
      const form = typeof id === 'string' ? await findForm(currentApp(), id) : null;
      if (!form) return words(asked, 404, 'missing');
      return isReadable(form, currentApp().clock.date()) ? work(form, asked) : words(asked, 410, 'gone');
    },
    (asked, status) => words(asked, status, 'failed'),
  );
}

async function readPost(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) throw new ApiError('malformed_request');
  const text = Buffer.from(await readBytes(request, postBytesMax)).toString('utf8');
  // Taking a post apart takes time for every field, and no form has that many.
  if (text.split('&', postFieldsMax + 1).length > postFieldsMax) throw new ApiError('malformed_request');
  return new URLSearchParams(text);
}

/** `GET /f/{id}` */
export const showForm = formRoute(async (form, asked) => {
  const now = currentApp().clock.date();
  if (statusOf(form, now) !== 'open') return over(form, asked, 200, {});
  return filledIn(form, asked, 200, { values: {}, stamp: newStamp(currentApp(), form.id, now) });
});

/** `POST /f/{id}`: a redirect to the thanks, or the page again with everything that was filled in. */
export const takeAnswers = formRoute(async (form, asked) => {
  const { request, address } = asked;
  const post = await readPost(request);
  const raw = rawAnswersOf(form.content.questions, post);
  const stamp = post.get('stamp') ?? '';
  const submission = {
    raw,
    stamp,
    trap: post.get('contact_me_by') ?? '',
    address,
    isFromOurPage: isOwnPost(request),
  };
  const outcome = await submitAnswers(currentApp(), form, submission, currentApp().clock.date());
  const isScript = (request.headers.get('accept') ?? '').startsWith('application/json');
  return isScript ? toScript(form, outcome, stamp) : toReader(form, asked, outcome, raw, stamp);
});

/** Whether the browser says, or leaves open, that a post comes from a page of this origin. */
function isOwnPost({ headers }: Request): boolean {
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

/** The stamp of the page that comes next: the same one wherever the same page may be sent again. */
function nextStamp(form: HostedForm, outcome: SubmissionOutcome, stamp: string): string {
  const isSpent = outcome.kind === 'again' && outcome.why !== 'tooFast';
  return isSpent ? newStamp(currentApp(), form.id, currentApp().clock.date()) : stamp;
}

function headersFor(outcome: SubmissionOutcome): Record<string, string> {
  return outcome.kind === 'tooMany' ? { 'Retry-After': String(outcome.retryAfterSeconds) } : {};
}

/** What the page's own script is told; it shows the page itself. */
function toScript(form: ReadableForm, outcome: SubmissionOutcome, stamp: string): PageAnswer {
  const headers = headersFor(outcome);
  if (outcome.kind === 'stored') return { status: 200, json: { next: thanksPath(form) } };
  if (outcome.kind === 'over') return { status: statuses.over, json: { isOver: true } };
  const problems = outcome.kind === 'invalid' ? outcome.problems : [];
  const json = { problems, notice: noticeFor(outcome), stamp: nextStamp(form, outcome, stamp) };
  return { status: statuses[outcome.kind], json, headers };
}

async function toReader(
  form: ReadableForm,
  asked: PageRequest,
  outcome: SubmissionOutcome,
  raw: RawAnswers,
  stamp: string,
): Promise<PageAnswer> {
  const status = statuses[outcome.kind];
  if (outcome.kind === 'stored') return { status, headers: { Location: thanksPath(form) } };
  if (outcome.kind === 'over') {
    // As it is now: it may have closed while the post was on its way.
    const current = await findForm(currentApp(), form.id);
    if (!current || !isReadable(current, currentApp().clock.date())) return words(asked, 410, 'gone');
    return over(current, asked, status, raw);
  }
  const next = {
    values: raw,
    stamp: nextStamp(form, outcome, stamp),
    problems: outcome.kind === 'invalid' ? outcome.problems : [],
    notice: noticeFor(outcome),
  };
  return filledIn(form, asked, status, next, headersFor(outcome));
}

async function filledIn(
  form: ReadableForm,
  asked: PageRequest,
  status: number,
  part: Pick<FormState, 'values' | 'stamp'> & Partial<FormState>,
  headers?: Record<string, string>,
): Promise<PageAnswer> {
  const frame = await formFrame(form, asked);
  const { questions, language, submitLabel } = form.content;
  const state: FormState = {
    content: { questions, language, submitLabel },
    speech: frame.speech,
    action: formPath(form.id),
    problems: [],
    notice: null,
    ...part,
  };
  return html(status, <FormPage frame={frame} form={form} state={state} />, headers);
}

async function over(
  form: ReadableForm,
  asked: PageRequest,
  status: number,
  raw: RawAnswers,
): Promise<PageAnswer> {
  const reached = statusOf(form, currentApp().clock.date()) === 'full' ? 'full' : 'closed';
  const unsent = writtenAnswers(form.content, raw);
  return html(
    status,
    <OverPage frame={await formFrame(form, asked)} form={form} status={reached} unsent={unsent} />,
  );
}

function thanksPath(form: HostedForm): string {
  return `${formPath(form.id)}/thanks`;
}

/** `GET /f/{id}/thanks` */
export const showThanks = formRoute(async (form, asked) =>
  html(200, <ThanksPage frame={await formFrame(form, asked)} form={form} />),
);

/** `GET /f/{id}/report` */
export const showReport = formRoute(async (form, asked) => {
  const state = { reason: '', details: '', problem: null };
  return html(200, <ReportPage frame={await readerFrame(asked)} form={form} state={state} />);
});

/** `POST /f/{id}/report` */
export const takeReport = formRoute(async (form, asked) => {
  const post = await readPost(asked.request);
  const reason = post.get('reason') ?? '';
  const details = post.get('details') ?? '';
  const frame = await readerFrame(asked);
  const isReason = (value: string): value is ReportReason => reportReasons.some((one) => one === value);
  if (!isReason(reason)) {
    const state = { reason, details, problem: 'chooseOne' as const };
    return html(422, <ReportPage frame={frame} form={form} state={state} />);
  }
  if (
    !(await reportForm(
      currentApp(),
      form.id,
      { reason, details, address: asked.address },
      currentApp().clock.date(),
    ))
  ) {
    const state = { reason, details, problem: 'tooMany' as const };
    return html(429, <ReportPage frame={frame} form={form} state={state} />);
  }
  return html(200, <ReportedPage frame={frame} form={form} />);
});
