import { ApiError } from '@/lib/catalog/errors/api-error';
import { renew, uploadLimits } from '@/lib/catalog/uploads';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import { type Payer, service } from '@/lib/services/service';
import { findFile } from './arrival';
import { getOwnUpload, ownedBy } from './ownership';
import { daysAdded, hasRoom, isFullyRenewed, renewedExpiry, reserveRenewal } from './reservation';
import { type AnnouncedFile, objectKey } from './slot';

interface RenewDeps
  extends Pick<WithDatabase & WithStore & Platform, 'db' | 'store' | 'clock' | 'timings' | 'log'> {}

interface Renewal {
  readonly expiresAt: Date;
  readonly renewalCount: number;
}

/** Extends the life of an upload. */
export const renewUpload = service(renew, {
  async admit(app: RenewDeps, { id }, caller) {
    const upload = await getOwnUpload(app, id, caller);
    if (!upload.isRenewable) throw new ApiError('not_renewable');
    if (isFullyRenewed(upload)) throw new ApiError('renewal_limit');
    await refuseWithoutFile(app, upload, caller.now);
  },

  async foresee(app: RenewDeps, { id }) {
    const upload = await app.db.upload.findUnique({
      where: { id },
      select: { createdAt: true, expiresAt: true },
    });
    const days = upload ? daysAdded(upload) : uploadLimits.retentionDays;
    if (days >= uploadLimits.retentionDays) return [];
    return [
      `This renewal adds ${days} ${days === 1 ? 'day' : 'days'} and not ${uploadLimits.retentionDays}: an upload lasts at most ${uploadLimits.retentionDaysMax} days. The price is the same.`,
    ];
  },

  prepare: (app: RenewDeps, { id }, call) => reserveRenewal(app, id, call),

  async deliver(app: RenewDeps, { id }, { payer, onlyOn, paidCallId, transactionHash }) {
    const { expiresAt, renewalCount } = await renewOnce(app, { id, payer, onlyOn, paidCallId });
    return { id, expiresAt: expiresAt.toISOString(), renewalCount, txHash: transactionHash };
  },
});

/** @throws ApiError upload_not_ready (409) while the file may still be sent, and then upload_not_found (404) */
async function refuseWithoutFile(app: RenewDeps, upload: AnnouncedFile, now: Date): Promise<void> {
  const size = await findFile(app, upload, () => app.store.sizeOf(objectKey(upload.id)));
  if (size !== null) return;
  throw new ApiError(upload.uploadUrlExpiresAt > now ? 'upload_not_ready' : 'upload_not_found');
}

interface PaidRenewal extends Payer {
  readonly id: string;
  readonly paidCallId: string;
}

async function renewOnce(app: RenewDeps, paid: PaidRenewal): Promise<Renewal> {
  const renewal = await extend(app, paid).catch(async (error: unknown) => {
    // Two deliveries of one paid call ran at once, or the response of our statement was lost. The row has the result.
    const recorded = await findRecorded(app, paid);
    if (!recorded) throw error;
    return recorded;
  });
  return renewal ?? (await findRecorded(app, paid)) ?? undeliverable(app, paid);
}

function findRecorded(app: RenewDeps, { paidCallId }: PaidRenewal): Promise<Renewal | null> {
  return app.db.uploadRenewal.findUnique({
    where: { paidCallId },
    select: { expiresAt: true, renewalCount: true },
  });
}

/**
 * Returns the recorded renewal of this paid call, or makes it, in one statement. Two paid calls wait for each other at
 * the upload's row lock, and each adds its days. Two deliveries of one paid call may both pass NOT EXISTS, but the
 * second violates the renewal's key and is rolled back. An upload that expired in the meantime is extended too. A call
 * whose payment was refused and then submitted by someone else has lost its reservation. It is delivered if it still
 * adds time and no deletion is reserved.
 */
async function extend(
  app: RenewDeps,
  { id, paidCallId, ...payer }: PaidRenewal,
): Promise<Renewal | undefined> {
  const [renewal] = await app.db.$queryRaw<Renewal[]>`
    WITH recorded AS (
      SELECT expires_at, renewal_count FROM upload_renewal WHERE paid_call_id = ${paidCallId}
    ), reservation AS (
      SELECT upload_id FROM upload_reservation WHERE paid_call_id = ${paidCallId} FOR UPDATE
    ), extended AS (
      UPDATE upload
      SET renewal_count = renewal_count + 1, expires_at = GREATEST(expires_at, ${renewedExpiry}),
        reserved_renewals = reserved_renewals - CASE WHEN EXISTS (SELECT FROM reservation) THEN 1 ELSE 0 END
      WHERE id = ${id} AND ${ownedBy(payer)} AND is_renewable AND deleted_at IS NULL AND erased_at IS NULL
        AND taken_down_at IS NULL
        AND NOT EXISTS (SELECT FROM recorded)
        AND (EXISTS (SELECT FROM reservation) OR (NOT is_deletion_reserved AND ${hasRoom}))
      RETURNING id, expires_at, renewal_count
    ), released AS (
      DELETE FROM upload_reservation USING extended WHERE paid_call_id = ${paidCallId}
    ), added AS (
      INSERT INTO upload_renewal (paid_call_id, upload_id, expires_at, renewal_count)
      SELECT ${paidCallId}, id, expires_at, renewal_count FROM extended
      RETURNING expires_at, renewal_count
    )
    SELECT expires_at AS "expiresAt", renewal_count AS "renewalCount" FROM recorded
    UNION ALL
    SELECT expires_at, renewal_count FROM added`;
  return renewal;
}

/**
 * The paid renewal cannot be delivered and goes to the operator, unless the deletion that prevents it may still be
 * refused.
 */
async function undeliverable(app: RenewDeps, { id, paidCallId }: PaidRenewal): Promise<never> {
  const upload = await app.db.upload.findUnique({
    where: { id },
    select: { deletedAt: true, takenDownAt: true, isDeletionReserved: true },
  });
  if (upload?.deletedAt === null && upload.isDeletionReserved)
    throw new ApiError('delivery_pending', { paidCallId });
  const isThere = upload?.deletedAt === null && upload.takenDownAt === null;
  const reason = isThere ? 'renewal_limit' : 'upload_not_found';
  throw new ApiError('delivery_needs_attention', { paidCallId, reason });
}
