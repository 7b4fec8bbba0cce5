import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { hourMs } from '@/lib/platform/durations';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import { lastRestorable } from '@/lib/services/abuse-reports';
import { eraseHeldFiles } from './held-file';
import { forgetTraffic } from './link-traffic';
import { objectKey } from './slot';

interface ExpireDeps extends Pick<WithDatabase & WithStore & Platform, 'db' | 'store' | 'settings' | 'log'> {}

/** How long a PUT that started in time may take. */
const putMs = hourMs;

/**
 * Erases the bytes of uploads that expired, were deleted, or were taken down and can no longer be restored, at most
 * `limit` at a time, and returns their number. An expired upload is first marked as deleted, which no renewal can undo.
 * An upload with a reserved renewal is left alone until the reservation ends. Safe to run concurrently and to kill at
 * any point. Uploads that the store fails to remove are logged and tried again. Also erases rendered files that were
 * never paid for, and link traffic of past days. Where clients upload directly to the store, a deleted upload is only
 * finished once its URL has expired, because bytes may arrive until then (see also remove.ts).
 */
export async function expireUploads(app: ExpireDeps, now: Date, limit = 500): Promise<number> {
  await eraseHeldFiles(app, now, limit);
  await forgetTraffic(app, now);
  const over = await app.db.$queryRaw<{ id: string }[]>`
    WITH expired AS (
      UPDATE upload SET deleted_at = ${now}
      WHERE id = ANY (
        ARRAY(
          SELECT id FROM upload
          WHERE expires_at <= ${now} AND deleted_at IS NULL AND erased_at IS NULL AND reserved_renewals = 0
          ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) || ARRAY(
          SELECT id FROM upload
          WHERE taken_down_at <= ${lastRestorable(now)} AND deleted_at IS NULL AND reserved_renewals = 0
          ORDER BY taken_down_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )
      )
      RETURNING id, upload_url_expires_at
    ), deleted AS (
      SELECT id FROM upload
      WHERE deleted_at IS NOT NULL AND erased_at IS NULL AND ${nothingCanArrive(app, now)}
      ORDER BY deleted_at LIMIT ${limit}
    )
    SELECT id FROM deleted UNION ALL SELECT id FROM expired WHERE ${nothingCanArrive(app, now)} LIMIT ${limit}`;
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

/** Uploads that can no longer receive bytes. A PUT to this server is checked against the row itself. */
function nothingCanArrive(app: Pick<WithStore, 'store'>, now: Date): Prisma.Sql {
  if (app.store.receivesPuts) return Prisma.sql`true`;
  return Prisma.sql`upload_url_expires_at < ${new Date(now.getTime() - putMs)}`;
}
