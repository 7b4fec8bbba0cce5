import { isDeepStrictEqual } from 'node:util';
import type { ReactNode } from 'react';
import { RequestReference } from '@/app/_page/request-reference';
import { ProblemWith, servedPage } from '@/app/_site/served-page';
import { currentApp } from '@/lib/app/current';
import { about } from '@/lib/catalog/about';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { readBytes } from '@/lib/http/body';
import { listed, type PageAnswer, type PageRequest, pageRoute } from '@/lib/http/page-route';
import { findPaidCallSummary } from '@/lib/ledger/paid-call-summary';
import { type Match, type Verdict, verifyReceipt } from '@/lib/payments/receipts/verify-receipt';
import { emptyDraft, type ReceiptDraft, ReceiptForm } from './form';
import { outcomeTitle, ReceiptResult } from './result';

/** Serves the page at /receipts, where anyone verifies a receipt of this service. */

/** Room for the largest request and its answer. */
const postBytesMax = 4 * 1024 * 1024;
/** More than the form has, with room for fields that browser extensions add. Parsing takes time for each. */
const postFieldsMax = 20;
/** Longer texts are not shown again: escaped, a text can be six times as long. */
const shownLengthMax = 256 * 1024;
const title = 'Verify a receipt';

/** @param documentTitle says the outcome */
function page(status: number, children: ReactNode, documentTitle = title): Promise<PageAnswer> {
  const description = 'Check that a receipt was issued by this service, and what it was issued for.';
  return servedPage({ path: '/receipts', title, description, status, documentTitle, children });
}

const failed = ({ requestId }: PageRequest, status: number) =>
  page(
    status,
    status === 413 ? (
      <p>What you sent is too large to check here.</p>
    ) : (
      <>
        <p>Something went wrong. Try again in a few minutes.</p>
        <RequestReference id={requestId} />
      </>
    ),
  );

function Intro(): ReactNode {
  return (
    <>
      <p className="lead">
        Paste a receipt to check that {about.name} issued it and that nothing in it was changed.
      </p>
      <p>
        Every paid response has one. <a href="/docs/receipts">Verify receipts in your own program</a>
      </p>
    </>
  );
}

/** `GET /receipts` */
export const showForm = pageRoute(
  currentApp,
  async () => {
    const { headers, ...answer } = await page(
      200,
      <>
        <Intro />
        <ReceiptForm draft={emptyDraft} />
      </>,
    );
    return { ...answer, headers: { ...headers, ...listed } };
  },
  failed,
);

/** `POST /receipts` */
export const checkReceipt = pageRoute(
  currentApp,
  async ({ request }) => {
    const draft = readDraft(request, await readBytes(request, postBytesMax));
    const again = shown(draft);
    if (draft.receipt.trim() === '') return withoutReceipt(again);
    const verdict = await verify(draft);
    const call = verdict.isValid ? await findPaidCallSummary(currentApp(), verdict.receipt.paidCallId) : null;
    return page(
      200,
      <>
        <ReceiptResult verdict={verdict} call={call} />
        {isDeepStrictEqual(again, draft) ? null : (
          <p>
            Some of what you entered is too long to be shown again. Fill in the empty fields before you verify
            once more.
          </p>
        )}
        <section className="again">
          <h2>Verify another receipt, or compare this one</h2>
          <ReceiptForm draft={again} />
        </section>
      </>,
      `${outcomeTitle(verdict)} · ${title}`,
    );
  },
  failed,
);

function withoutReceipt(draft: ReceiptDraft): Promise<PageAnswer> {
  const error = 'Paste a receipt';
  return page(
    422,
    <>
      <ProblemWith id="receipt" error={error} />
      <ReceiptForm draft={draft} error={error} />
    </>,
    `Error: ${title}`,
  );
}

function readDraft(request: Request, bytes: Uint8Array): ReceiptDraft {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) throw new ApiError('malformed_request');
  const text = Buffer.from(bytes).toString('utf8');
  if (text.split('&', postFieldsMax + 1).length > postFieldsMax) throw new ApiError('malformed_request');
  const post = new URLSearchParams(text);
  const field = (name: keyof ReceiptDraft) => post.get(name) ?? '';
  return {
    receipt: field('receipt'),
    method: field('method'),
    path: field('path'),
    body: field('body'),
    answer: field('answer'),
  };
}

/** A draft without its long texts. A path without its body would be another request. */
function shown(draft: ReceiptDraft): ReceiptDraft {
  const short = (text: string) => (text.length > shownLengthMax ? '' : text);
  const body = short(draft.body);
  return {
    receipt: short(draft.receipt),
    method: short(draft.method),
    path: body === draft.body ? short(draft.path) : '',
    body,
    answer: short(draft.answer),
  };
}

async function verify(draft: ReceiptDraft): Promise<Verdict> {
  const { settings, receipts } = currentApp();
  const keys = await receipts.publishedKeys();
  const compared = spellings(draft).map((evidence) =>
    verifyReceipt(settings.PUBLIC_URL, keys, draft.receipt, evidence),
  );
  const [posted] = compared;
  if (!posted?.isValid) return posted ?? { isValid: false, problem: 'unreadable' };
  const best = (of: 'request' | 'answer'): Match =>
    compared.some((one) => one.isValid && one[of]) ? true : posted[of];
  return { ...posted, request: best('request'), answer: best('answer') };
}

/** What was typed: once as it was posted, and once with the browser's changes to line breaks undone. */
function spellings({ method, path, body, answer }: ReceiptDraft) {
  const bytes = (text: string) => Buffer.from(text);
  return [(text: string) => text, (text: string) => text.replaceAll('\r\n', '\n')].map((spell) => ({
    ...(path.trim() === '' ? {} : { request: { method, path: path.trim(), body: bytes(spell(body)) } }),
    ...(answer === '' ? {} : { answer: bytes(spell(answer)) }),
  }));
}
