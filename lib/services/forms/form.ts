import { z } from 'zod';
import type { Question } from '@/lib/catalog/form-questions';
import type { FormStatus } from '@/lib/catalog/forms';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';

/** The content of a form as its author wrote it. A type alias, because Prisma accepts no interface for JSON. */
export type FormContent = {
  readonly title: string;
  readonly description?: string;
  readonly questions: readonly Question[];
  readonly submitLabel?: string;
  readonly thankYou?: string;
  /** BCP 47. */
  readonly language: string;
};

/** A form's row. */
export interface HostedForm {
  readonly id: string;
  readonly readTokenHash: Buffer;
  /** Null once erased. */
  readonly content: FormContent | null;
  readonly closesAt: Date;
  readonly readableUntil: Date;
  readonly maxResponses: number;
  /** Deleted ones included. */
  readonly responseCount: number;
  readonly deletedCount: number;
  /** When the operator took it down; null normally. */
  readonly takenDownAt: Date | null;
}

/** A form whose answers can still be read. */
export type ReadableForm = HostedForm & { readonly content: FormContent };

/** The catalog's schema parsed the content before it was stored. */
export const storedContent = z.custom<FormContent>((value) => typeof value === 'object' && value !== null);

/** A form by the id in its link; null when it never existed. */
export async function findForm(app: Pick<WithDatabase, 'db'>, id: string): Promise<HostedForm | null> {
  if (!/^fm_[0-9A-Za-z]{24}$/.test(id)) return null;
  const row = await app.db.form.findUnique({ where: { id } });
  if (!row) return null;
  return {
    id: row.id,
    readTokenHash: Buffer.from(row.readTokenHash),
    content: row.content === null ? null : storedContent.parse(row.content),
    closesAt: row.closesAt,
    readableUntil: row.readableUntil,
    maxResponses: row.maxResponses,
    responseCount: row.responseCount,
    deletedCount: row.deletedCount,
    takenDownAt: row.takenDownAt,
  };
}

/** Whether a form and its answers may still be read, even if they are not erased yet. */
export function isReadable(form: HostedForm, now: Date): form is ReadableForm {
  return form.content !== null && form.takenDownAt === null && now < form.readableUntil;
}

/** The status of a form. A full form stays full after it closes. */
export function statusOf(
  form: Pick<HostedForm, 'closesAt' | 'maxResponses' | 'responseCount'>,
  now: Date,
): FormStatus {
  if (form.responseCount >= form.maxResponses) return 'full';
  return now < form.closesAt ? 'open' : 'closed';
}

/** What readers of responses learn about the form. */
export function readForm(form: ReadableForm, now: Date) {
  const { id, content, closesAt, readableUntil, responseCount, deletedCount, maxResponses } = form;
  return {
    id,
    title: content.title,
    status: statusOf(form, now),
    closesAt: closesAt.toISOString(),
    readableUntil: readableUntil.toISOString(),
    responseCount,
    deletedCount,
    maxResponses,
  };
}

/** The path of a form's page. */
export function formPath(id: string): string {
  return `/f/${id}`;
}

/** The URLs of a form: its page and its responses. */
export function formUrls(app: Pick<Platform, 'settings'>, id: string): { url: string; responsesUrl: string } {
  const { PUBLIC_URL } = app.settings;
  return { url: PUBLIC_URL + formPath(id), responsesUrl: `${PUBLIC_URL}/v1/forms/${id}/responses` };
}
