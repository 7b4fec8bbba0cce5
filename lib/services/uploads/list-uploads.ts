import type { z } from 'zod';
import type { listUploads as listOperation } from '@/lib/catalog/account';
import type { WithDatabase } from '@/lib/platform/database/database';
import { type CallChoice, newestFirst } from '@/lib/platform/database/page';
import type { Platform } from '@/lib/platform/platform';
import { publicUrl } from './slug';

interface ListDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'settings'> {}

/**
 * An owner's uploads that are neither deleted nor expired, newest first.
 * @param choose picks the calls whose uploads are listed; null for all
 */
export async function listUploads(
  app: ListDeps,
  owner: string,
  page: { readonly cursor?: string; readonly limit: number },
  now: Date,
  choose: CallChoice | null = null,
): Promise<z.output<typeof listOperation.output>> {
  const { rows, nextCursor } = await newestFirst(
    {
      find: (id) =>
        app.db.upload.findFirst({
          where: { id, owner },
          select: { id: true, createdAt: true, paidCallId: true },
        }),
      read: ({ older, ...query }) =>
        app.db.upload.findMany({
          where: { owner, deletedAt: null, expiresAt: { gt: now }, ...older },
          ...query,
        }),
    },
    page,
    choose,
  );
  return {
    uploads: rows.map((upload) => ({
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
