import type { Output } from '@/lib/catalog/operation';
import type { remove } from '@/lib/catalog/uploads';
import { db } from '@/lib/db/client';
import { ApiError } from '@/lib/http/api-error';
import { describeError, log } from '@/lib/log';
import type { Service } from '@/lib/service';
import { store } from '@/lib/storage';
import { isOver } from './lifetime';
import { getOwnUpload } from './ownership';
import { objectKey } from './slot';

interface Deletion {
  readonly deletedAt: Date;
  readonly expiresAt: Date;
}

/** Deletes an upload and ends its link at once. */
export const removeUpload: Service<typeof remove> = {
  async admit({ id }, caller) {
    await getOwnUpload(id, caller);
  },

  deliver({ id }, { payer, paidCallId, now }) {
    return end(id, payer, paidCallId, now);
  },
};

/** @param deletedBy what asked for it, unique to it: the first deletion stands, and whoever comes second is told the same */
async function end(id: string, owner: string, deletedBy: string, now: Date): Promise<Output<typeof remove>> {
  const [deletion] = await db().$queryRaw<Deletion[]>`
    UPDATE upload
    SET deleted_by = CASE WHEN deleted_at IS NULL THEN ${deletedBy} ELSE deleted_by END,
      deleted_at = COALESCE(deleted_at, ${now})
    WHERE id = ${id} AND owner = ${owner}
    RETURNING deleted_at AS "deletedAt", expires_at AS "expiresAt"`;
  // Whoever asked found the row, and rows and owners stay.
  if (!deletion) throw new Error('the upload to delete is gone');
  await removeBytes(id);
  return {
    id,
    status: 'deleted',
    deleted: true,
    deletedAt: deletion.deletedAt.toISOString(),
    expiresAt: deletion.expiresAt.toISOString(),
  };
}

/**
 * Deletes an upload for the account that bought it, for nothing; asked again, it tells the same.
 * @throws ApiError upload_not_found (404) or not_owner (403)
 */
export async function removeForOwner(
  owner: string,
  { id }: { id: string },
  now: Date,
): Promise<Output<typeof remove>> {
  const upload = await db().upload.findUnique({
    where: { id },
    select: { owner: true, expiresAt: true, deletedAt: true, deletedBy: true },
  });
  if (!upload || (upload.deletedBy === null && isOver(upload, now))) throw new ApiError('upload_not_found');
  if (upload.owner !== owner) throw new ApiError('not_owner');
  return end(id, owner, `free:${id}`, now);
}

/** The link has ended already; when the store fails, the worker removes the bytes later. */
async function removeBytes(id: string): Promise<void> {
  try {
    await store().remove(objectKey(id));
  } catch (error) {
    log().warn({ uploadId: id, error: describeError(error) }, 'a deleted upload could not be erased at once');
  }
}
