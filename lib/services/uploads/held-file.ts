import { createHash } from 'node:crypto';
import { uploadLimits } from '@/lib/catalog/uploads';
import type { WithDatabase } from '@/lib/platform/database/database';
import { daysAfter, hourMs } from '@/lib/platform/durations';
import { newOrderedId, randomToken } from '@/lib/platform/ids';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import { objectKey } from './slot';
import { namesOf, publicUrl, withExtension } from './slug';

interface HeldFileDeps
  extends Pick<WithDatabase & WithStore & Platform, 'db' | 'store' | 'settings' | 'log'> {}

/**
 * Files that we make ourselves, before and after they are paid for. A held file is in the store under a secret name,
 * and no link leads to it. Publishing turns it into an upload of its payer, which is served, deleted and expired like
 * any other.
 */

/** Longer than payments stay open, unless something is wrong with them. An erased file can be made again. */
const heldHours = 2;

/** What is known about a held file. */
export interface HeldFile {
  /** The id of the upload that it becomes. */
  readonly id: string;
  readonly bytes: number;
  /** 64 lowercase hex characters. */
  readonly sha256: string;
}

/** Stores a file without publishing it. */
export async function holdFile(app: HeldFileDeps, bytes: Buffer, mime: string, now: Date): Promise<HeldFile> {
  const id = newOrderedId('up', now);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  // Recorded first, so that the bytes are erased even if nobody comes back for them.
  await app.db.heldFile.create({ data: { id, createdAt: now } });
  await app.store.put(objectKey(id), bytes, { mime, sha256 });
  return { id, bytes: bytes.length, sha256 };
}

export interface Publication {
  readonly paidCallId: string;
  readonly owner: string;
  readonly mime: string;
  readonly filename: string | undefined;
  readonly now: Date;
}

export interface PublishedFile {
  readonly id: string;
  readonly publicUrl: string;
  readonly expiresAt: Date;
}

/** The file that a paid call has published already; null when there is none. */
export async function findPublished(
  app: HeldFileDeps,
  paidCallId: string,
): Promise<(PublishedFile & HeldFile) | null> {
  const row = await app.db.upload.findUnique({
    where: { paidCallId },
    select: { id: true, slug: true, linkToken: true, expiresAt: true, sizeBytes: true, sha256: true },
  });
  return row && { ...row, bytes: row.sizeBytes, publicUrl: publicUrl(app, row) };
}

/**
 * Gives a held file its public link, once per paid call. The link lasts as long as an upload's and cannot be renewed.
 * @returns null when the file is no longer held: already published, or erased
 */
export async function publishFile(
  app: HeldFileDeps,
  file: HeldFile,
  publication: Publication,
): Promise<PublishedFile | null> {
  const { paidCallId, owner, mime, filename, now } = publication;
  const names = namesOf(withExtension(filename, mime), mime);
  const [row] = await app.db.$queryRaw<{ id: string; slug: string; linkToken: string; expiresAt: Date }[]>`
    WITH held AS (
      DELETE FROM held_file WHERE id = ${file.id} AND erased_at IS NULL RETURNING id
    )
    INSERT INTO upload (id, paid_call_id, owner, mime, size_bytes, sha256, slug, filename, link_token, tags, created_at,
      upload_url_expires_at, expires_at, is_renewable)
    SELECT id, ${paidCallId}, ${owner}, ${mime}, ${file.bytes}, ${file.sha256}, ${names.slug},
      ${names.filename}, ${randomToken()}, '{}', ${now}, ${now}, ${daysAfter(now, uploadLimits.retentionDays)}, false FROM held
    RETURNING id, slug, link_token AS "linkToken", expires_at AS "expiresAt"`;
  return row ? { id: row.id, publicUrl: publicUrl(app, row), expiresAt: row.expiresAt } : null;
}

/** Erases a file that will not be paid for. */
export async function discardFile(app: HeldFileDeps, id: string, now: Date): Promise<void> {
  const { count } = await app.db.heldFile.updateMany({
    where: { id, erasedAt: null },
    data: { erasedAt: now },
  });
  if (count > 0) await removeHeld(app, id);
}

/** Erases held files that nobody came back for, at most `limit`. The next run finds any that are left. */
export async function eraseHeldFiles(app: HeldFileDeps, now: Date, limit: number): Promise<void> {
  const before = new Date(now.getTime() - heldHours * hourMs);
  const over = await app.db.$queryRaw<{ id: string }[]>`
    WITH forgotten AS (
      UPDATE held_file SET erased_at = ${now} WHERE created_at < ${before} AND erased_at IS NULL RETURNING id
    )
    SELECT id FROM forgotten UNION ALL SELECT id FROM held_file WHERE erased_at IS NOT NULL LIMIT ${limit}`;
  for (const { id } of over) {
    await removeHeld(app, id).catch((error: unknown) => {
      app.log.error({ uploadId: id, error: describeError(error) }, 'a held file could not be erased');
    });
  }
}

async function removeHeld(app: HeldFileDeps, id: string): Promise<void> {
  await app.store.remove(objectKey(id));
  await app.db.heldFile.deleteMany({ where: { id } });
}
