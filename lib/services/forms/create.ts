import { ApiError } from '@/lib/catalog/errors/api-error';
import { formLimits } from '@/lib/catalog/form-questions';
import { questionIdAt } from '@/lib/catalog/form-rules';
import { create, type FormRequest, type QuestionType } from '@/lib/catalog/forms';
import type { Output } from '@/lib/catalog/operation';
import type { WithDatabase } from '@/lib/platform/database/database';
import { dayMs, daysAfter } from '@/lib/platform/durations';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import type { WithThreads } from '@/lib/platform/threads';
import { service } from '@/lib/services/service';
import { findForbidden } from './find-forbidden';
import { type FormContent, formUrls, statusOf } from './form';
import { hashReadToken, newReadToken, recallReadToken } from './read-token';

interface CreateDeps extends Pick<WithDatabase, 'db'>, WithThreads, Pick<Platform, 'settings' | 'keys'> {}

/** A form that closes sooner is a mistake. */
const openMsMin = 60_000;

/** Creates a form. */
export const createForm = service(create, {
  async admit(app: CreateDeps, input, { now, requester }) {
    const openMs = input.closesAt === undefined ? null : Date.parse(input.closesAt) - now.getTime();
    if (openMs !== null && (openMs < openMsMin || openMs > formLimits.openDays * dayMs)) {
      const rule = `must be between 1 minute and ${formLimits.openDays} days from now`;
      throw new ApiError('form_invalid', { reason: 'invalid_input', issues: [{ path: 'closesAt', rule }] });
    }
    const [forbidden = []] = await findForbidden(app, [input], requester, 'form_invalid');
    if (forbidden.length > 0) {
      const issues = forbidden.map(({ path, kind }) => ({ path, rule: `must not ask for: ${kind}` }));
      throw new ApiError('form_forbidden_content', { issues });
    }
  },

  async deliver(app: CreateDeps, input, { payer, paidCallId, now }) {
    const closesAt = input.closesAt ? new Date(input.closesAt) : daysAfter(now, formLimits.openDays);
    // A form whose closing time passed before its delivery is closed, and readable from now on.
    const lastOpenAt = new Date(Math.max(closesAt.getTime(), now.getTime()));
    const readableUntil = daysAfter(lastOpenAt, formLimits.readableDays);
    const form = await app.db.form.upsert({
      where: { paidCallId },
      create: {
        id: newId('fm'),
        paidCallId,
        owner: payer,
        createdAt: now,
        readTokenHash: new Uint8Array(hashReadToken(newReadToken(app, paidCallId))),
        content: contentOf(input),
        closesAt,
        readableUntil,
        maxResponses: formLimits.responsesMax,
      },
      // Changes nothing. Prisma upserts in one statement only if there is something to update.
      update: { paidCallId },
      select: {
        id: true,
        readTokenHash: true,
        closesAt: true,
        readableUntil: true,
        maxResponses: true,
        responseCount: true,
      },
    });
    return created(app, form, paidCallId, now);
  },
});

interface OpenedForm {
  readonly id: string;
  readonly readTokenHash: Uint8Array;
  readonly closesAt: Date;
  readonly readableUntil: Date;
  readonly maxResponses: number;
  readonly responseCount: number;
}

function created(app: CreateDeps, form: OpenedForm, paidCallId: string, now: Date): Output<typeof create> {
  return {
    id: form.id,
    ...formUrls(app, form.id),
    readToken: recallReadToken(app, paidCallId, form.readTokenHash),
    closesAt: form.closesAt.toISOString(),
    readableUntil: form.readableUntil.toISOString(),
    maxResponses: form.maxResponses,
    status: statusOf(form, now),
  };
}

function contentOf({ closesAt, questions, ...rest }: FormRequest): FormContent {
  return {
    ...rest,
    questions: questions.map((question, index) => ({
      ...question,
      id: questionIdAt(question, index),
      maxLength: question.maxLength ?? lengthMaxOf[question.type],
    })),
  };
}

/** The maximum length of a text if the author sets none. Returned with the questions. */
const lengthMaxOf: Partial<Record<QuestionType, number>> = {
  text: formLimits.textLengthMax,
  long_text: formLimits.longTextLengthMax,
};
