import { stringify } from 'csv-stringify/sync';
import type { Answer, ResponsesPage } from '@/lib/catalog/forms';
import { bearerTokenOf } from '@/lib/platform/bearer-token';
import { csvHeaders, prefersCsv, withoutFormulas } from '@/lib/platform/csv';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { readResponses } from './read-responses';
import type { ResponseSignals } from './response-signals';

interface ResponsesEndpointDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock' | 'keys'> {
  readonly responseSignals: ResponseSignals;
}

/** Without it, Excel takes a file for text in the code page of the machine. */
const byteOrderMark = '\ufeff';

/** When a reader that could not wait should ask again. */
const askAgainSeconds = 5;

/** `GET /v1/forms/{id}/responses`: JSON, or CSV for clients that prefer it. */
export async function answerResponses(
  app: ResponsesEndpointDeps,
  { headers, url, signal }: Pick<Request, 'url' | 'signal'> & { headers: Pick<Headers, 'get'> },
  id: unknown,
): Promise<
  | { body: ResponsesPage; headers: Record<string, string> }
  | { status: number; headers: Record<string, string>; body: string }
> {
  const { searchParams } = new URL(url);
  const { page, couldNotWait } = await readResponses(app, {
    formId: typeof id === 'string' ? id : '',
    readToken: bearerTokenOf({ headers }),
    query: searchParams,
    signal,
  });
  const early: Record<string, string> = couldNotWait ? { 'Retry-After': String(askAgainSeconds) } : {};
  if (!prefersCsv(headers.get('accept') ?? '')) return { body: page, headers: early };
  return {
    status: 200,
    headers: { ...csvHeaders(`${page.form.id}.csv`), ...early },
    body: `${searchParams.get('bom') === 'true' ? byteOrderMark : ''}${responsesCsv(page)}`,
  };
}

/**
 * A page of responses as CSV (RFC 4180), with a column per question. Every text is quoted, because answers may contain
 * line breaks, and parsers disagree on which line breaks end a row. The last columns are the same on every page, so that
 * pages can be joined.
 */
export function responsesCsv({ form, responses, deleted }: ResponsesPage): string {
  const labels = form.questions.map(({ label }) => withoutFormulas(label));
  const rows = responses.map(({ id, submittedAt, answers, recipient }) => [
    id,
    submittedAt,
    ...form.questions.map((question) => cellOf(answers[question.id])),
    cellOf(recipient),
    '',
  ]);
  const rowsOfDeleted = deleted.map(({ id, deletedAt }) => [id, '', ...labels.map(() => ''), '', deletedAt]);
  const header = ['id', 'submittedAt', ...labels, 'recipient', 'deletedAt'];
  return stringify([header, ...rows, ...rowsOfDeleted], {
    quoted_string: true,
    quoted_empty: false,
    record_delimiter: 'windows',
  });
}

function cellOf(answer: Answer | undefined): string | number {
  if (answer === undefined) return '';
  if (typeof answer === 'number') return answer;
  return withoutFormulas(typeof answer === 'object' ? answer.join('; ') : answer);
}
