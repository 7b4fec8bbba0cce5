import type { z } from 'zod';
import type { listForms as listOperation } from '@/lib/catalog/wallet';
import { type CallChoice, ofChosenCalls, olderThan, toPage } from '@/lib/db/page';
import type { FormsApp } from '@/lib/services/forms/app';
import { formUrls, statusOf, storedContent } from './form';

/**
 * An owner's forms whose responses can still be read, newest first. Also those that the operator took down, as long as
 * they are not erased.
 * @param choose leaves out forms of other calls, so that a page may have fewer than its limit
 */
export async function listForms(
  app: FormsApp,
  owner: string,
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
  now: Date,
  choose: CallChoice | null = null,
): Promise<z.output<typeof listOperation.output>> {
  const older = await olderThan(cursor, (id) =>
    app.db.form.findFirst({ where: { id, owner }, select: { id: true, createdAt: true } }),
  );
  // One more than requested, to know whether there are more.
  const found = await app.db.form.findMany({
    where: { owner, erasedAt: null, readableUntil: { gt: now }, ...older },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  const { shown, nextCursor } = toPage(found, limit);
  const chosen = await ofChosenCalls(shown, choose);
  return {
    forms: chosen.map((form) => ({
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
