import { ApiError } from '@/lib/catalog/errors/api-error';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import { type AnnouncedFile, isOver, objectKey } from './slot';

interface ArrivalDeps extends Pick<WithDatabase & WithStore & Platform, 'db' | 'store' | 'clock' | 'log'> {}

/** An upload whose file may be sent. */
export interface AwaitedUpload {
  readonly mime: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly slug: string;
  readonly linkToken: string;
}

/** @throws ApiError upload_url_invalid when there is none, upload_url_expired when it is over or was taken down */
export async function getAwaitedUpload(app: ArrivalDeps, id: string): Promise<AwaitedUpload> {
  const upload = await app.db.upload.findUnique({
    where: { id },
    select: {
      mime: true,
      sizeBytes: true,
      sha256: true,
      slug: true,
      linkToken: true,
      expiresAt: true,
      deletedAt: true,
      takenDownAt: true,
    },
  });
  if (!upload) throw new ApiError('upload_url_invalid');
  if (upload.takenDownAt !== null || isOver(upload, app.clock.date()))
    throw new ApiError('upload_url_expired');
  return upload;
}

/**
 * Looks for an upload in the store. If it is not there, bytes that the client uploaded directly may be waiting for
 * adoption. They are then adopted, and `look` runs again, even if another process adopted them first.
 */
export async function findFile<T>(
  app: ArrivalDeps,
  upload: AnnouncedFile,
  look: () => Promise<T | null>,
): Promise<T | null> {
  const found = await look();
  if (found !== null || app.store.receivesPuts) return found;
  const adoption = await app.store.adopt(objectKey(upload.id), upload);
  if (adoption === 'altered')
    app.log.warn({ uploadId: upload.id }, 'the uploaded bytes are not the announced file');
  if (adoption === 'adopted') await dropIfOver(app, upload.id);
  return look();
}

/** Removes bytes that arrived for an upload that is over: it may have been erased before they got their name. */
export async function dropIfOver(app: ArrivalDeps, id: string): Promise<boolean> {
  const upload = await app.db.upload.findUnique({
    where: { id },
    select: { expiresAt: true, deletedAt: true },
  });
  if (upload && !isOver(upload, app.clock.date())) return false;
  await app.store.remove(objectKey(id));
  return true;
}
