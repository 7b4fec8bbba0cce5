import type { Answer } from '@/lib/catalog/forms';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { openAnswers } from './read-responses';
import { readStamp } from './stamp';

interface SentCopyDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'keys'> {}

/** A response as the person who sent it may see it again. */
export interface SentCopy {
  /** The ID of the response, by which its reader finds it. */
  readonly reference: string;
  readonly submittedAt: Date;
  readonly answers: Readonly<Record<string, Answer>>;
}

/** How long a person sees what they sent. Others may use the same browser later. */
export const copySeconds = 3_600;

/**
 * The response that was sent from the page with a stamp; null if there is none, or it was sent too long ago. Only that page
 * had the stamp, and nobody can guess it.
 */
export async function findSentCopy(
  app: SentCopyDeps,
  formId: string,
  stamp: string,
  now: Date,
): Promise<SentCopy | null> {
  const reading = readStamp(app, formId, stamp, now);
  if (reading.kind !== 'good') return null;
  const response = await app.db.formResponse.findUnique({
    where: { formId_nonce: { formId, nonce: reading.nonce } },
    select: { id: true, answers: true, submittedAt: true },
  });
  // A deleted response has neither.
  if (!response?.submittedAt || !response.answers) return null;
  const { id, submittedAt, answers } = response;
  if (now.getTime() - submittedAt.getTime() > copySeconds * 1_000) return null;
  return { reference: id, submittedAt, answers: openAnswers(app, answers) };
}
