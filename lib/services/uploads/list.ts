import type { z } from 'zod';
import type { listUploads as listOperation } from '@/lib/catalog/account';
import { type CallChoice, ofChosenCalls, olderThan, toPage } from '@/lib/db/page';
import type { ServiceApp } from '@/lib/services/service';
import { publicUrl } from './slug';

/**
 * An owner's uploads that are neither deleted nor expired, newest first.
 * @param choose leaves out uploads of other calls, so that a page may have fewer than its limit
 */
export async function listUploads(
  app: ServiceApp,
  owner: string,
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
  now: Date,
  choose: CallChoice | null = null,
): Promise<z.output<typeof listOperation.output>> {
  const older = await olderThan(cursor, (id) =>
    app.db.upload.findFirst({ where: { id, owner }, select: { id: true, createdAt: true } }),
  );
  // One more than requested, to know whether there are more.
  const found = await app.db.upload.findMany({
    where: { owner, deletedAt: null, expiresAt: { gt: now }, ...older },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  const { shown, nextCursor } = toPage(found, limit);
  const chosen = await ofChosenCalls(shown, choose);
  return {
    uploads: chosen.map((upload) => ({
      id: upload.id,
      publicUrl: publicUrl(app, upload),
      mime: upload.mime,
      size: upload.sizeBytes,
      sha256: upload.sha256,
      tags: upload.tags,
      createdAt: upload.createdAt.toISOString(),
      expiresAt: upload.expiresAt.toISOString(),
      renewalCount: upload.renewalCount,
      takenDownAt: upload.takenDownAt?.toISOString() ?? null,
    })),
    nextCursor,
  };
}
