import type { z } from 'zod';
import type { listUploads as listOperation, uploadsQuery } from '@/lib/catalog/account';
import type { ServiceApp } from '@/lib/services/service';
import { publicUrl } from './slug';

/** An owner's uploads that are neither deleted nor expired, newest first. */
export async function listUploads(
  app: ServiceApp,
  owner: string,
  { cursor, limit }: z.output<typeof uploadsQuery>,
  now: Date,
): Promise<z.output<typeof listOperation.output>> {
  const last = cursor
    ? await app.db.upload.findFirst({ where: { id: cursor, owner }, select: { id: true, createdAt: true } })
    : null;
  // The first condition alone would do, but for uploads of the same moment: it is the one that an index can start from.
  const older = last
    ? {
        createdAt: { lte: last.createdAt },
        OR: [{ createdAt: { lt: last.createdAt } }, { id: { lt: last.id } }],
      }
    : {};
  // One more than requested, to know whether there are more.
  const found = await app.db.upload.findMany({
    where: { owner, deletedAt: null, expiresAt: { gt: now }, ...older },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  const told = found.slice(0, limit);
  return {
    uploads: told.map((upload) => ({
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
    nextCursor: found.length > limit ? (told.at(-1)?.id ?? null) : null,
  };
}
