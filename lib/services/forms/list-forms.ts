import type { z } from 'zod';
import type { listForms as listOperation } from '@/lib/catalog/wallet';
import type { WithDatabase } from '@/lib/platform/database/database';
import { type CallChoice, newestFirst } from '@/lib/platform/database/page';
import type { Platform } from '@/lib/platform/platform';
import { formUrls, statusOf, storedContent } from './form';

interface ListDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'settings'> {}

/**
 * An owner's forms whose responses can still be read, newest first. Includes forms that the operator took down, until
 * they are erased.
 * @param choose picks the calls whose forms are listed; null for all
 */
export async function listForms(
  app: ListDeps,
  owner: string,
  page: { readonly cursor?: string; readonly limit: number },
  now: Date,
  choose: CallChoice | null = null,
): Promise<z.output<typeof listOperation.output>> {
  const { rows, nextCursor } = await newestFirst(
    {
      find: (id) =>
        app.db.form.findFirst({
          where: { id, owner },
          select: { id: true, createdAt: true, paidCallId: true },
        }),
      read: ({ older, ...query }) =>
        app.db.form.findMany({
          where: { owner, erasedAt: null, readableUntil: { gt: now }, ...older },
          ...query,
        }),
    },
    page,
    choose,
  );
  return {
    forms: rows.map((form) => ({
      id: form.id,
      ...formUrls(app, form.id),
      title: storedContent.parse(form.content).title,
      status: statusOf(form, now),
      responseCount: form.responseCount,
      maxResponses: form.maxResponses,
      createdAt: form.createdAt.toISOString(),
      closesAt: form.closesAt.toISOString(),
      readableUntil: form.readableUntil.toISOString(),
      takenDownAt: form.takenDownAt?.toISOString() ?? null,
    })),
    nextCursor,
  };
}
