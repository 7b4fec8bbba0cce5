import type { Output } from '@/lib/catalog/operation';
import { type create, uploadLimits } from '@/lib/catalog/uploads';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import type { PutGrant } from '@/lib/platform/storage/store';
import { publicUrl } from './slug';

interface SlotDeps extends Pick<WithStore, 'store'>, Pick<Platform, 'settings'> {}

/** The announced file of an upload slot. */
export interface AnnouncedFile {
  readonly id: string;
  readonly mime: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly uploadUrlExpiresAt: Date;
}

interface ReservedSlot extends AnnouncedFile {
  readonly slug: string;
  readonly linkToken: string;
  readonly tags: string[];
  readonly expiresAt: Date;
}

/** The object key of an upload. */
export function objectKey(uploadId: string): string {
  return `uploads/${uploadId}`;
}

/** What the upload URL permits. */
function grantOf(upload: AnnouncedFile): PutGrant {
  return {
    key: objectKey(upload.id),
    mime: upload.mime,
    sizeBytes: upload.sizeBytes,
    sha256: upload.sha256,
    expiresAt: upload.uploadUrlExpiresAt,
  };
}

/** Made only from the row, so that a repeated delivery returns the same slot. */
export async function slotOf(app: SlotDeps, upload: ReservedSlot): Promise<Output<typeof create>> {
  const put = await app.store.presignPut(grantOf(upload));
  return {
    id: upload.id,
    uploadUrl: put.url,
    uploadMethod: put.method,
    uploadHeaders: put.headers,
    publicUrl: publicUrl(app, upload),
    expiresAt: upload.expiresAt.toISOString(),
    uploadUrlExpiresAt: upload.uploadUrlExpiresAt.toISOString(),
    maxSize: uploadLimits.sizeBytesMax,
    tags: upload.tags,
  };
}

/** Whether the public link has ended, by expiry or deletion, even if the worker has not erased the file yet. */
export function isOver(upload: { expiresAt: Date; deletedAt: Date | null }, now: Date): boolean {
  return upload.deletedAt !== null || upload.expiresAt <= now;
}
