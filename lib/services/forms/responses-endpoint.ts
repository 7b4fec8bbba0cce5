import { bearerTokenOf } from '@/lib/platform/bearer-token';
import { csvHeaders, prefersCsv } from '@/lib/platform/csv';
import type { FormsApp } from '@/lib/services/forms/app';
import { readResponses } from './read-responses';
import { responsesCsv } from './responses-csv';

/** When a reader that could not wait should ask again. */
const askAgainSeconds = 5;

/** `GET /v1/forms/{id}/responses`: JSON, or CSV for clients that prefer it. */
export async function answerResponses(
  app: FormsApp,
  { headers, url, signal }: Pick<Request, 'url' | 'signal'> & { headers: Pick<Headers, 'get'> },
  id: unknown,
): Promise<
  | { body: unknown; headers: Record<string, string> }
  | { status: number; headers: Record<string, string>; body: string }
> {
  const { page, couldNotWait } = await readResponses(app, {
    formId: typeof id === 'string' ? id : '',
    readToken: bearerTokenOf({ headers }),
    query: new URL(url).searchParams,
    signal,
  });
  const early: Record<string, string> = couldNotWait ? { 'Retry-After': String(askAgainSeconds) } : {};
  if (!prefersCsv(headers.get('accept') ?? '')) return { body: page, headers: early };
  return {
    status: 200,
    headers: { ...csvHeaders(`${page.form.id}.csv`), ...early },
    body: responsesCsv(page),
  };
}
