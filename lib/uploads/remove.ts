import type { remove } from '@/lib/catalog/uploads';
import { db } from '@/lib/db/client';
import { describeError, log } from '@/lib/log';
import type { Service } from '@/lib/service';
import { store } from '@/lib/storage';
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

  async deliver({ id }, { payer, paidCallId, now }) {
    // The first deletion stands. Whoever comes second, repeated or paid apart, is told the same.
    const [deletion] = await db().$queryRaw<Deletion[]>`
      UPDATE upload
      SET deleted_by = CASE WHEN deleted_at IS NULL THEN ${paidCallId} ELSE deleted_by END,
        deleted_at = COALESCE(deleted_at, ${now})
      WHERE id = ${id} AND owner = ${payer}
      RETURNING deleted_at AS "deletedAt", expires_at AS "expiresAt"`;
    // Admission found the row, and rows and owners stay.
    if (!deletion) throw new Error('the upload to delete is gone');
    await removeBytes(id);
    return {
      id,
      status: 'deleted',
      deleted: true,
      deletedAt: deletion.deletedAt.toISOString(),
      expiresAt: deletion.expiresAt.toISOString(),
    };
  },
};

/** The link has ended already; when the store fails, the worker removes the bytes later. */
async function removeBytes(id: string): Promise<void> {
  try {
    await store().remove(objectKey(id));
  } catch (error) {
    log().warn({ uploadId: id, error: describeError(error) }, 'a deleted upload could not be erased at once');
  }
}
