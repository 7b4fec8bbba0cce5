import type { Answer, FormStatus } from '@/lib/catalog/forms';
import { countAttempt, hashAddress } from '@/lib/db/attempts';
import { newId } from '@/lib/platform/ids';
import type { FormsApp } from '@/lib/services/forms/app';
import { allowances } from './allowances';
import { checkAnswers, type Problem } from './answers/check';
import type { RawAnswers } from './answers/fields';
import { findForm, isReadable, type ReadableForm, statusOf } from './form';
import { openAnswers } from './read-responses';
import { responseChannel } from './response-signals';
import { readStamp } from './stamp';

/** What a page of a form posts. */
export interface Submission {
  readonly raw: RawAnswers;
  readonly stamp: string;
  /** A field that no person sees. */
  readonly trap: string;
  readonly address: string;
  /** Whether the browser says that the post comes from a page of ours, or says nothing about it. */
  readonly isFromOurPage: boolean;
}

/** What became of a post. Nothing is stored but for `stored`; the answers are shown again in every other case. */
export type SubmissionOutcome =
  | { readonly kind: 'stored' }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
  /** `tooFast` may be sent again from the same page, the others from a new one. */
  | { readonly kind: 'again'; readonly why: 'tooFast' | 'tooOld' | 'alreadySent' | 'suspicious' }
  | { readonly kind: 'tooMany'; readonly retryAfterSeconds: number }
  | { readonly kind: 'over'; readonly status: Exclude<FormStatus, 'open'> | 'gone' };

/** Stores what a person sent, if everything about it is as it should be. */
export async function submitAnswers(
  app: FormsApp,
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
  // What was sent from this page before is thanked for again, even when the form has closed since.
  if (status !== 'open' && stamp.kind !== 'good') return { kind: 'over', status };
  if (!checked.ok) {
    return status === 'open' ? { kind: 'invalid', problems: checked.problems } : { kind: 'over', status };
  }
  if (stamp.kind !== 'good') return { kind: 'again', why: stamp.kind };
  return store(app, form.id, stamp.nonce, checked.answers);
}

async function countPost(app: FormsApp, formId: string, address: string, now: Date): Promise<number | null> {
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

async function store(
  app: FormsApp,
  formId: string,
  nonce: string,
  answers: Answers,
): Promise<SubmissionOutcome> {
  const isStored = await storeOnce(app, formId, nonce, answers).catch(async (error: unknown) => {
    // Two posts of one page at once: the second fails at the nonce's key, and takes its count back with it.
    if (await findSent(app, formId, nonce)) return false;
    throw error;
  });
  if (isStored) return { kind: 'stored' };
  const sent = await findSent(app, formId, nonce);
  if (sent) {
    const isSame = JSON.stringify(sent) === JSON.stringify(answers);
    return isSame ? { kind: 'stored' } : { kind: 'again', why: 'alreadySent' };
  }
  const form = await findForm(app, formId);
  const now = app.clock.date();
  if (!form || !isReadable(form, now)) return { kind: 'over', status: 'gone' };
  const status = statusOf(form, now);
  return { kind: 'over', status: status === 'open' ? 'closed' : status };
}

/**
 * Counts and stores in one statement. The form's row is the place where everybody waits for each other: whether it is
 * still open and not full is decided under its lock, and responses get their numbers in the order in which they become
 * visible.
 */
async function storeOnce(app: FormsApp, formId: string, nonce: string, answers: Answers): Promise<boolean> {
  const stored = await app.db.$queryRaw<unknown[]>`
    WITH counted AS (
      UPDATE form SET response_count = response_count + 1
      WHERE id = ${formId} AND erased_at IS NULL AND closes_at > now() AND response_count < max_responses
        AND NOT EXISTS (SELECT FROM form_response WHERE form_id = ${formId} AND nonce = ${nonce})
      RETURNING id, response_count
    ), stored AS (
      INSERT INTO form_response (id, form_id, number, nonce, answers, submitted_at)
      SELECT ${newId('fr')}, id, response_count, ${nonce}, ${app.keys.encrypt(JSON.stringify(answers))}, clock_timestamp()
      FROM counted
      RETURNING form_id
    )
    SELECT pg_notify(${responseChannel}, form_id)::text FROM stored`;
  return stored.length === 1;
}

async function findSent(app: FormsApp, formId: string, nonce: string): Promise<Answers | null> {
  const sent = await app.db.formResponse.findUnique({
    where: { formId_nonce: { formId, nonce } },
    select: { answers: true },
  });
  return sent && openAnswers(app, sent.answers);
}
