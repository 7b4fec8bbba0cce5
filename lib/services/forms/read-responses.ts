import { invalidInput } from '@/lib/catalog/errors/api-error';
import { formLimits } from '@/lib/catalog/form-questions';
import { type Answer, type ResponsesPage, responsesQuery } from '@/lib/catalog/forms';
import type { WithDatabase } from '@/lib/platform/database/database';
import { withoutEmptyFields } from '@/lib/platform/empty-fields';
import type { Platform } from '@/lib/platform/platform';
import { type ReadableForm, readForm, statusOf } from './form';
import { openWithToken } from './open-with-token';
import type { ResponseSignals } from './response-signals';

interface ReadResponsesDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock' | 'keys'> {
  readonly responseSignals: ResponseSignals;
}

/** A request to read responses. */
export interface Reading {
  readonly formId: string;
  /** From `Authorization: Bearer`; null without one. */
  readonly readToken: string | null;
  readonly query: URLSearchParams;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A page of responses. `couldNotWait` is set if the request should have waited but too many others were waiting. */
export interface ReadResponses {
  readonly page: ResponsesPage;
  readonly couldNotWait: boolean;
}

/**
 * Reads a page of a form's responses, oldest first. With `wait`, new ones as soon as they are sent.
 * @throws ApiError read_token_required (401), form_not_found (404), read_token_wrong (403), form_gone or
 *   form_taken_down (410), invalid_input (400)
 */
export async function readResponses(app: ReadResponsesDeps, reading: Reading): Promise<ReadResponses> {
  let form = await openWithToken(app, reading.formId, reading.readToken);
  const { cursor, limit, wait } = parseQuery(reading.query);
  const after = Number(cursor.slice(1));
  const deadline = app.clock.monotonic() + Math.min(wait, formLimits.waitAnsweredSeconds) * 1_000;
  const waiting = wait > 0 ? await app.responseSignals.wait(form.id) : null;
  try {
    for (;;) {
      const found = await responsesAfter(app, form.id, after, limit);
      const responses = found.filter(isKept);
      const openMs = form.closesAt.getTime() - app.clock.now();
      const leftMs = Math.min(deadline - app.clock.monotonic(), openMs);
      const isOver = responses.length > 0 || statusOf(form, app.clock.date()) !== 'open' || leftMs <= 0;
      if (isOver || !waiting || reading.signal.aborted || app.responseSignals.isEnded) {
        // Read again after the responses, so that the count is never behind them.
        form = await openWithToken(app, reading.formId, reading.readToken);
        return { page: pageOf(app, form, found, after), couldNotWait: !isOver && !waiting };
      }
      await waiting.next(leftMs, reading.signal);
      form = await openWithToken(app, reading.formId, reading.readToken);
    }
  } finally {
    waiting?.stop();
  }
}

function parseQuery(query: URLSearchParams) {
  const parsed = responsesQuery.safeParse(withoutEmptyFields(responsesQuery, Object.fromEntries(query)));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? [{ path: 'query', rule: 'must contain only cursor, limit, wait and bom' }]
      : [{ path: issue.path.join('.'), rule: queryRules[String(issue.path[0])] ?? 'is not valid' }],
  );
  throw invalidInput(issues);
}

const queryRules: Readonly<Record<string, string>> = {
  cursor: 'must be the nextCursor of an earlier response',
  limit: 'must be a whole number from 1 to 100',
  wait: 'must be a number of seconds from 0 to 60',
  bom: 'must be true or false',
};

interface StoredResponse {
  readonly id: string;
  readonly number: number;
  readonly answers: Uint8Array | null;
  readonly recipient: Uint8Array | null;
  readonly submittedAt: Date | null;
  readonly deletedAt: Date | null;
}

/** A response that has not been deleted. */
type KeptResponse = StoredResponse & { readonly answers: Uint8Array; readonly submittedAt: Date };

function isKept(response: StoredResponse): response is KeptResponse {
  return response.answers !== null && response.submittedAt !== null;
}

/**
 * Up to `limit` responses with higher numbers, and those between them that were deleted. Numbers are allocated under the
 * form's row lock, so none becomes visible before a lower one.
 */
function responsesAfter(
  app: Pick<WithDatabase, 'db'>,
  formId: string,
  number: number,
  limit: number,
): Promise<StoredResponse[]> {
  return app.db.$queryRaw<StoredResponse[]>`
    SELECT id, number, answers, recipient, submitted_at AS "submittedAt", deleted_at AS "deletedAt" FROM form_response
    WHERE form_id = ${formId} AND number > ${number} AND number <= COALESCE((
      SELECT number FROM form_response WHERE form_id = ${formId} AND number > ${number} AND deleted_at IS NULL
      ORDER BY number OFFSET ${limit - 1} LIMIT 1
    ), ${formLimits.responsesMax})
    ORDER BY number`;
}

function pageOf(
  app: Pick<Platform, 'clock' | 'keys'>,
  form: ReadableForm,
  found: readonly StoredResponse[],
  after: number,
): ResponsesPage {
  return {
    form: { ...readForm(form, app.clock.date()), questions: form.content.questions },
    responses: found.filter(isKept).map(({ id, answers, recipient, submittedAt }) => ({
      id,
      submittedAt: submittedAt.toISOString(),
      answers: openAnswers(app, answers),
      ...(recipient ? { recipient: app.keys.decrypt(recipient).toString() } : {}),
    })),
    deleted: found.flatMap(({ id, deletedAt }) =>
      deletedAt ? [{ id, deletedAt: deletedAt.toISOString() }] : [],
    ),
    nextCursor: `r${found.at(-1)?.number ?? after}`,
  };
}

/** The stored answers, which were validated before. Without a prototype: a question's ID may be `constructor`. */
export function openAnswers(app: Pick<Platform, 'keys'>, sealed: Uint8Array): Record<string, Answer> {
  const answers = JSON.parse(app.keys.decrypt(sealed).toString()) as Record<string, Answer>;
  return Object.assign(Object.create(null), answers);
}
