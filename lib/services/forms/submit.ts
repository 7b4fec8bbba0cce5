import type { Answer, FormStatus } from '@/lib/catalog/forms';
import { type Allowance, countAttempt, hashAddress } from '@/lib/platform/database/attempts';
import type { WithDatabase } from '@/lib/platform/database/database';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { checkAnswers, type Problem } from './answers/check-answers';
import type { RawAnswers } from './answers/fields';
import { findForm, isReadable, type ReadableForm, statusOf } from './form';
import { openAnswers } from './read-responses';
import { responseChannel } from './response-signals';
import { readStamp } from './stamp';

interface SubmitDeps extends Pick<WithDatabase, 'db' | 'addressSalts'>, Pick<Platform, 'clock' | 'keys'> {}

/** A school or an office may share one address, and a form takes a hundred responses in total. */
const allowances = {
  addressAtForm: { attempts: 60, minutes: 10 },
  address: { attempts: 300, minutes: 10 },
  form: { attempts: 600, minutes: 1 },
} as const satisfies Record<string, Allowance>;

/** A post from a form page. */
export interface Submission {
  readonly raw: RawAnswers;
  readonly stamp: string;
  /** A hidden field that only bots fill in. */
  readonly trap: string;
  readonly address: string;
  /** False when the browser reports that the post comes from another site. */
  readonly isFromOurPage: boolean;
  /** Of the link that the page was opened with; null without one. */
  readonly recipient: string | null;
}

/** The result of a post. Only `stored` stores anything. In all other cases the page shows the answers again. */
export type SubmissionOutcome =
  | { readonly kind: 'stored' }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
  /** `tooFast` may be sent again from the same page, the others only from a new one. */
  | { readonly kind: 'again'; readonly why: 'tooFast' | 'tooOld' | 'alreadySent' | 'suspicious' }
  | { readonly kind: 'tooMany'; readonly retryAfterSeconds: number }
  | { readonly kind: 'over'; readonly status: Exclude<FormStatus, 'open'> | 'gone' };

/** Stores a person's answers if the post passes every check. */
export async function submitAnswers(
  app: SubmitDeps,
  form: ReadableForm,
  submission: Submission,
  now: Date,
): Promise<SubmissionOutcome> {
  const retryAfterSeconds = await countPost(app, form.id, submission.address, now);
  if (retryAfterSeconds !== null) return { kind: 'tooMany', retryAfterSeconds };
  const status = statusOf(form, now);
  const stamp = readStamp(app, form.id, submission.stamp, now);
  if (stamp.kind === 'unknown' || submission.trap !== '' || !submission.isFromOurPage) {
    return { kind: 'again', why: 'suspicious' };
  }
  const checked = checkAnswers(form.content, submission.raw);
  // A post that was already stored is confirmed again, even if the form has closed since.
  if (status !== 'open' && stamp.kind !== 'good') return { kind: 'over', status };
  if (!checked.ok) {
    return status === 'open' ? { kind: 'invalid', problems: checked.problems } : { kind: 'over', status };
  }
  if (stamp.kind !== 'good') return { kind: 'again', why: stamp.kind };
  const { recipient } = submission;
  return store(app, form.id, { nonce: stamp.nonce, answers: checked.answers, recipient });
}

async function countPost(
  app: Pick<WithDatabase, 'db' | 'addressSalts'>,
  formId: string,
  address: string,
  now: Date,
): Promise<number | null> {
  const hash = await hashAddress(app, address, now);
  return countAttempt(
    app,
    [
      [`address ${hash} at ${formId}`, allowances.addressAtForm],
      [`address ${hash}`, allowances.address],
      [`form ${formId}`, allowances.form],
    ],
    now,
  );
}

type Answers = Readonly<Record<string, Answer>>;

interface NewResponse {
  readonly nonce: string;
  readonly answers: Answers;
  readonly recipient: string | null;
}

async function store(app: SubmitDeps, formId: string, response: NewResponse): Promise<SubmissionOutcome> {
  const { nonce, answers } = response;
  const isStored = await storeOnce(app, formId, response).catch(async (error: unknown) => {
    // With two simultaneous posts of one page, the second violates the nonce's unique key, and its count is rolled
    // back.
    if (await findSent(app, formId, nonce)) return false;
    throw error;
  });
  if (isStored) return { kind: 'stored' };
  const sent = await findSent(app, formId, nonce);
  if (sent) {
    // One that was deleted is not confirmed again, because nobody knows whether it was the same.
    const isSame = JSON.stringify(sent.answers) === JSON.stringify(answers);
    return isSame ? { kind: 'stored' } : { kind: 'again', why: 'alreadySent' };
  }
  const form = await findForm(app, formId);
  const now = app.clock.date();
  if (!form || !isReadable(form, now)) return { kind: 'over', status: 'gone' };
  const status = statusOf(form, now);
  return { kind: 'over', status: status === 'open' ? 'closed' : status };
}

/**
 * Counts and stores in one statement. The form's row lock decides whether the form is open and not full, and gives
 * responses their numbers in the order in which they become visible.
 */
async function storeOnce(
  app: SubmitDeps,
  formId: string,
  { nonce, answers, recipient }: NewResponse,
): Promise<boolean> {
  const stored = await app.db.$queryRaw<unknown[]>`
    WITH counted AS (
      UPDATE form SET response_count = response_count + 1
      WHERE id = ${formId} AND erased_at IS NULL AND taken_down_at IS NULL AND closes_at > now() AND response_count < max_responses
        AND NOT EXISTS (SELECT FROM form_response WHERE form_id = ${formId} AND nonce = ${nonce})
      RETURNING id, response_count
    ), stored AS (
      INSERT INTO form_response (id, form_id, number, nonce, answers, recipient, submitted_at)
      SELECT ${newId('fr')}, id, response_count, ${nonce}, ${app.keys.encrypt(JSON.stringify(answers))},
        ${recipient === null ? null : app.keys.encrypt(recipient)}, clock_timestamp()
      FROM counted
      RETURNING form_id
    )
    SELECT pg_notify(${responseChannel}, form_id)::text FROM stored`;
  return stored.length === 1;
}

/** What was sent from the page with a nonce; null if nothing was. A deleted response has no answers. */
async function findSent(
  app: SubmitDeps,
  formId: string,
  nonce: string,
): Promise<{ answers: Answers | null } | null> {
  const sent = await app.db.formResponse.findUnique({
    where: { formId_nonce: { formId, nonce } },
    select: { answers: true },
  });
  return sent && { answers: sent.answers && openAnswers(app, sent.answers) };
}
