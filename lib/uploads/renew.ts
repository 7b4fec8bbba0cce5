import { type renew, uploadLimits } from '@/lib/catalog/uploads';
import { db } from '@/lib/db/client';
import { ApiError } from '@/lib/http/api-error';
import { log } from '@/lib/log';
import type { Service } from '@/lib/service';
import { lastExpiryOf } from './lifetime';
import { getOwnUpload } from './ownership';

interface Renewal {
  readonly expiresAt: Date;
  readonly renewalCount: number;
}

/** After so many renewals nothing is left to add: (30 - 7) / 7, rounded up. */
const usefulRenewals = Math.ceil(
  (uploadLimits.retentionDaysMax - uploadLimits.retentionDays) / uploadLimits.retentionDays,
);

/** Extends the life of an upload. */
export const renewUpload: Service<typeof renew> = {
  async admit({ id }, caller) {
    const upload = await getOwnUpload(id, caller);
    if (!upload.isRenewable) throw new ApiError('not_renewable');
    if (upload.expiresAt >= lastExpiryOf(upload)) throw new ApiError('renewal_limit');
  },

  async deliver({ id }, { payer, paidCallId, transactionHash, now }) {
    const renewal = await renewOnce({ id, payer, paidCallId, now });
    // Deleted between admission and settlement: paid for, and impossible to give. A person has to decide.
    if (!renewal) throw new ApiError('delivery_needs_attention', { paidCallId });
    if (renewal.renewalCount > usefulRenewals) {
      log().warn({ paidCallId, uploadId: id }, 'a renewal that raced with others was paid and added no time');
    }
    return {
      id,
      expiresAt: renewal.expiresAt.toISOString(),
      renewalCount: renewal.renewalCount,
      txHash: transactionHash,
    };
  },
};

interface PaidRenewal {
  readonly id: string;
  readonly payer: string;
  readonly paidCallId: string;
  readonly now: Date;
}

async function renewOnce(paid: PaidRenewal): Promise<Renewal | undefined> {
  try {
    return await extend(paid);
  } catch (error) {
    // The same paid call was being delivered twice at once, or the answer to our statement was lost: the row knows.
    const recorded = await db().uploadRenewal.findUnique({
      where: { paidCallId: paid.paidCallId },
      select: { expiresAt: true, renewalCount: true },
    });
    if (!recorded) throw error;
    return recorded;
  }
}

/**
 * The recorded renewal of this paid call, or a new one, in one statement. Two paid calls wait for each other at the
 * upload's row and each adds its days to what the other left. Two deliveries of one paid call may both pass NOT EXISTS,
 * but the second fails at the renewal's key and takes its extension back with it. An expiry that passed in the meantime
 * is extended all the same; a deleted upload is not, because its bytes may be gone. When nothing is left to add, the
 * renewal is recorded with the expiry as it was.
 */
async function extend({ id, payer, paidCallId, now }: PaidRenewal): Promise<Renewal | undefined> {
  const [renewal] = await db().$queryRaw<Renewal[]>`
    WITH recorded AS (
      SELECT expires_at, renewal_count FROM upload_renewal WHERE paid_call_id = ${paidCallId}
    ), extended AS (
      UPDATE upload
      SET renewal_count = renewal_count + 1,
        expires_at = GREATEST(expires_at, LEAST(
          expires_at + make_interval(hours => ${24 * uploadLimits.retentionDays}),
          created_at + make_interval(hours => ${24 * uploadLimits.retentionDaysMax})))
      WHERE id = ${id} AND owner = ${payer} AND is_renewable AND deleted_at IS NULL AND erased_at IS NULL
        AND NOT EXISTS (SELECT FROM recorded)
      RETURNING id, expires_at, renewal_count
    ), added AS (
      INSERT INTO upload_renewal (paid_call_id, upload_id, expires_at, renewal_count, created_at)
      SELECT ${paidCallId}, id, expires_at, renewal_count, ${now} FROM extended
      RETURNING expires_at, renewal_count
    )
    SELECT expires_at AS "expiresAt", renewal_count AS "renewalCount" FROM recorded
    UNION ALL
    SELECT expires_at, renewal_count FROM added`;
  return renewal;
}
