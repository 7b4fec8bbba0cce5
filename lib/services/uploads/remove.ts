import { ApiError } from '@/lib/catalog/errors/api-error';
import type { Output } from '@/lib/catalog/operation';
import { remove } from '@/lib/catalog/uploads';
import type { WithDatabase } from '@/lib/platform/database/database';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import { type Payer, service } from '@/lib/services/service';
import { getOwnUpload, isOwnedBy, ownedBy } from './ownership';
import { reserveDeletion, retryUntilFree } from './reservation';
import { isOver, objectKey } from './slot';

interface RemoveDeps
  extends Pick<WithDatabase & WithStore & Platform, 'db' | 'store' | 'clock' | 'timings' | 'log'> {}

interface Deletion {
  readonly deletedAt: Date;
  readonly expiresAt: Date;
}

/** Deletes an upload. Its link ends at once. */
export const removeUpload = service(remove, {
  async admit(app: RemoveDeps, { id }, caller) {
    await getOwnUpload(app, id, caller);
  },

  prepare: (app: RemoveDeps, { id }, call) => reserveDeletion(app, id, call),

  async deliver(app: RemoveDeps, { id }, { payer, onlyOn, paidCallId, now }) {
    const owner = { payer, onlyOn };
    const deleted = await end(app, id, owner, paidCallId, now);
    if (deleted) return deleted;
    // A call that lost its reservation (its payment was refused, then submitted by someone else) waits for renewals to
    // end.
    const upload = await app.db.upload.findUnique({
      where: { id },
      select: { owner: true, paidCallId: true },
    });
    if (upload && (await isOwnedBy(app, upload, owner)))
      throw new ApiError('delivery_pending', { paidCallId });
    throw new ApiError('delivery_needs_attention', { paidCallId, reason: 'upload_not_found' });
  },
});

/**
 * Deletes in one statement, unless a paid call has a reservation.
 * @param deletedBy the unique id of the request: the first deletion counts, and a repeated one gets the same result
 * @returns null when the upload cannot be deleted now
 */
async function end(
  app: RemoveDeps,
  id: string,
  owner: Payer,
  deletedBy: string,
  now: Date,
): Promise<Output<typeof remove> | null> {
  const [deletion] = await app.db.$queryRaw<Deletion[]>`
    WITH reservation AS (
      SELECT upload_id FROM upload_reservation WHERE paid_call_id = ${deletedBy} FOR UPDATE
    ), deleted AS (
      UPDATE upload
      SET deleted_by = CASE WHEN deleted_at IS NULL THEN ${deletedBy} ELSE deleted_by END,
        deleted_at = COALESCE(deleted_at, ${now}),
        is_deletion_reserved = is_deletion_reserved AND NOT EXISTS (SELECT FROM reservation)
      WHERE id = ${id} AND ${ownedBy(owner)}
        AND (deleted_at IS NOT NULL OR (reserved_renewals = 0
          AND (NOT is_deletion_reserved OR EXISTS (SELECT FROM reservation))))
      RETURNING id, deleted_at, expires_at
    ), released AS (
      DELETE FROM upload_reservation USING deleted WHERE paid_call_id = ${deletedBy}
    )
    SELECT deleted_at AS "deletedAt", expires_at AS "expiresAt" FROM deleted`;
  if (!deletion) return null;
  await removeBytes(app, id);
  return {
    id,
    status: 'deleted',
    deleted: true,
    deletedAt: deletion.deletedAt.toISOString(),
    expiresAt: deletion.expiresAt.toISOString(),
  };
}

/**
 * Deletes an upload for its account without a charge, after pending renewals. Safe to repeat.
 * @throws ApiError upload_not_found (404), not_owner (403) or upload_busy (409)
 */
export async function removeForOwner(
  app: RemoveDeps,
  owner: string,
  { id }: { id: string },
  now: Date,
): Promise<Output<typeof remove>> {
  await refuseStranger(app, owner, id, now);
  return retryUntilFree(
    app,
    () => end(app, id, { payer: owner, onlyOn: null }, `free:${id}`, now),
    () => refuseStranger(app, owner, id, app.clock.date()),
  );
}

async function refuseStranger(app: RemoveDeps, owner: string, id: string, now: Date): Promise<void> {
  const upload = await app.db.upload.findUnique({
    where: { id },
    select: { owner: true, expiresAt: true, deletedAt: true, deletedBy: true },
  });
  if (!upload || (upload.deletedBy === null && isOver(upload, now))) throw new ApiError('upload_not_found');
  if (upload.owner !== owner) throw new ApiError('not_owner');
}

/** Erases the bytes of an upload whose link has ended. If the store fails, the worker removes the bytes later. */
export async function removeBytes(app: RemoveDeps, id: string): Promise<void> {
  try {
    await app.store.remove(objectKey(id));
  } catch (error) {
    app.log.warn(
      { uploadId: id, error: describeError(error) },
      'a deleted upload could not be erased at once',
    );
  }
}
