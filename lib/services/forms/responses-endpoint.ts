import type { FormsApp } from '@/lib/services/forms/app';
import { readResponses } from './read-responses';
import { responsesCsv } from './responses-csv';

/** `GET /v1/forms/{id}/responses`: JSON, or CSV for clients that prefer it. */
export async function answerResponses(
  app: FormsApp,
  { headers, url, signal }: Pick<Request, 'url' | 'signal'> & { headers: Pick<Headers, 'get'> },
  id: unknown,
): Promise<{ body: unknown } | { status: number; headers: Record<string, string>; body: string }> {
  const page = await readResponses(app, {
    formId: typeof id === 'string' ? id : '',
    readToken: /^Bearer +([\x21-\x7e]{1,200}) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null,
    query: new URL(url).searchParams,
    signal,
  });
  if (!prefersCsv(headers.get('accept') ?? '')) return { body: page };
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="${page.form.id}.csv"`,
      'Cache-Control': 'private, no-store',
      Vary: 'Accept',
    },
    body: responsesCsv(page),
  };
}

/** Whether an Accept header prefers text/csv to JSON (RFC 9110 12.5.1). Wildcards mean JSON. */
function prefersCsv(accept: string): boolean {
  const weightOf = (type: string) =>
    Math.max(
      0,
      ...accept.split(',').flatMap((part) => {
        const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
        const weight = Number(parameters.find((piece) => piece.startsWith('q='))?.slice(2) ?? 1);
        return name === type ? [Number.isFinite(weight) ? weight : 0] : [];
      }),
    );
  return weightOf('text/csv') > weightOf('application/json');
}
