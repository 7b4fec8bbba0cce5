import type { Output } from '@/lib/catalog/operation';
import { type create, uploadLimits } from '@/lib/catalog/uploads';
import type { ServiceApp } from '@/lib/services/service';
import type { PutGrant } from '@/lib/storage/store';
import { publicUrl } from './slug';

/** What a row says about the one file that its slot takes. */
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

/** The name of an upload's bytes in the store. */
export function objectKey(uploadId: string): string {
  return `uploads/${uploadId}`;
}

/** What the upload address of a row permits. */
function grantOf(upload: AnnouncedFile): PutGrant {
  return {
    key: objectKey(upload.id),
    mime: upload.mime,
    sizeBytes: upload.sizeBytes,
    sha256: upload.sha256,
    expiresAt: upload.uploadUrlExpiresAt,
  };
}

/** Made from the row alone, so a replay after a crash returns the same slot. */
export async function slotOf(app: ServiceApp, upload: ReservedSlot): Promise<Output<typeof create>> {
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

const dayMs = 86_400_000;

/** The same time of day, in UTC, that many days later. */
export function daysAfter(start: Date, days: number): Date {
  return new Date(start.getTime() + days * dayMs);
}

/** Whether the public link has ended, by time or by deletion. The worker's pace does not matter to it. */
export function isOver(upload: { expiresAt: Date; deletedAt: Date | null }, now: Date): boolean {
  return upload.deletedAt !== null || upload.expiresAt <= now;
}
