import { describeError } from '@/lib/platform/log';
import type { ServiceApp } from '@/lib/services/service';
import { eraseHeldFiles } from './held-file';
import { objectKey } from './slot';

/** How long a PUT that began in time may still be under way. */
const putMs = 3_600_000;

/**
 * Erases the bytes of uploads that expired or were deleted, at most `limit` at a time, and returns how many it erased.
 * An expired upload is first marked deleted, which no renewal can undo, and only then erased. One for which a renewal is
 * being paid is left: the renewal ends first, and saves the file or lets it go. May run twice at once,
 * and may be killed anywhere: what was not finished is found again. An upload whose bytes the store will not remove is
 * logged and tried again in the next run. Files of ours whose payment never came go the same way. Where PUTs go past this
 * server, a deleted upload is only done with when its address has lapsed, because until then bytes may arrive; what was
 * there at its deletion went at once (remove.ts).
 */
export async function expireUploads(app: ServiceApp, now: Date, limit = 500): Promise<number> {
  await eraseHeldFiles(app, now, limit);
  await app.db.$executeRaw`
    UPDATE upload SET deleted_at = ${now}
    WHERE id IN (
      SELECT id FROM upload
      WHERE expires_at <= ${now} AND deleted_at IS NULL AND erased_at IS NULL AND reserved_renewals = 0
      ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )`;
  const over = await app.db.upload.findMany({
    where: { deletedAt: { not: null }, erasedAt: null, ...nothingCanArrive(app, now) },
    orderBy: { deletedAt: 'asc' },
    take: limit,
    select: { id: true },
  });
  const removed: string[] = [];
  for (const { id } of over) {
    try {
      await app.store.remove(objectKey(id));
      removed.push(id);
    } catch (error) {
      app.log.error({ uploadId: id, error: describeError(error) }, 'an upload could not be erased');
    }
  }
  if (removed.length === 0) return 0;
  const { count } = await app.db.upload.updateMany({
    where: { id: { in: removed }, erasedAt: null },
    data: { erasedAt: now },
  });
  return count;
}

/** The uploads to which no bytes can come any more. A PUT that comes to us is held against the row itself. */
function nothingCanArrive(app: ServiceApp, now: Date) {
  return app.store.receivesPuts ? {} : { uploadUrlExpiresAt: { lt: new Date(now.getTime() - putMs) } };
}
