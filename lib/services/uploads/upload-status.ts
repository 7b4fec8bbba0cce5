import type { z } from 'zod';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { status as statusOperation, uploadStates } from '@/lib/catalog/uploads';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import { findFile } from './arrival';
import { type AnnouncedFile, objectKey } from './slot';

interface StatusDeps extends Pick<WithDatabase & WithStore & Platform, 'db' | 'store' | 'clock' | 'log'> {}

interface StatusRow extends AnnouncedFile {
  readonly expiresAt: Date;
  readonly deletedAt: Date | null;
  readonly takenDownAt: Date | null;
  readonly downloads: number;
}

/**
 * What anybody who knows the ID of an upload may know about it: not its link, its name or its owner.
 * @throws ApiError upload_not_found (404)
 */
export async function describeUpload(
  app: StatusDeps,
  id: string,
): Promise<z.output<typeof statusOperation.output>> {
  const [upload] = await app.db.$queryRaw<StatusRow[]>`
    SELECT id, mime, size_bytes AS "sizeBytes", sha256, upload_url_expires_at AS "uploadUrlExpiresAt",
      expires_at AS "expiresAt", deleted_at AS "deletedAt", taken_down_at AS "takenDownAt",
      earlier_downloads + COALESCE((SELECT sum(downloads) FROM link_traffic WHERE upload_id = id), 0)::integer AS downloads
    FROM upload WHERE id = ${id}`;
  if (!upload) throw new ApiError('upload_not_found');
  const { uploadUrlExpiresAt, expiresAt, downloads } = upload;
  return {
    id,
    status: await stateOf(app, upload),
    uploadUrlExpiresAt: uploadUrlExpiresAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    downloads,
  };
}

async function stateOf(app: StatusDeps, upload: StatusRow): Promise<(typeof uploadStates)[number]> {
  const now = app.clock.date();
  if (upload.takenDownAt !== null) return 'taken_down';
  // Uploads that have expired are deleted later.
  if (upload.deletedAt !== null && upload.deletedAt < upload.expiresAt) return 'deleted';
  if (upload.expiresAt <= now) return 'expired';
  const size = await findFile(app, upload, () => app.store.sizeOf(objectKey(upload.id)));
  if (size !== null) return 'available';
  return upload.uploadUrlExpiresAt > now ? 'reserved' : 'lapsed';
}
