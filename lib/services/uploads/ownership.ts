import { ApiError } from '@/lib/catalog/errors/api-error';
import { isPaidOn, wasPaidOn } from '@/lib/ledger/calls-of-services';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Payer } from '@/lib/services/service';
import { isOver } from './slot';

/** In a statement on `upload`: whether a payer owns it. */
export function ownedBy({ payer, onlyOn }: Payer): Prisma.Sql {
  if (onlyOn === null) return Prisma.sql`upload.owner = ${payer}`;
  return Prisma.sql`upload.owner = ${payer} AND ${isPaidOn(Prisma.sql`upload.paid_call_id`, onlyOn)}`;
}

/** The same for an upload in memory. */
export async function isOwnedBy(
  app: Pick<WithDatabase, 'db'>,
  { owner, paidCallId }: { owner: string; paidCallId: string },
  { payer, onlyOn }: Payer,
): Promise<boolean> {
  if (owner !== payer) return false;
  if (onlyOn === null) return true;
  return wasPaidOn(app, paidCallId, onlyOn);
}

/**
 * A live upload of this payer. Throws upload_not_found when there is none or it is over, not_owner when another wallet
 * paid for it, and upload_taken_down when the operator took it down.
 */
export async function getOwnUpload(
  app: Pick<WithDatabase, 'db'>,
  id: string,
  { payer, onlyOn, now }: Payer & { now: Date },
) {
  const upload = await app.db.upload.findUnique({
    where: { id },
    select: {
      id: true,
      owner: true,
      mime: true,
      sizeBytes: true,
      sha256: true,
      uploadUrlExpiresAt: true,
      paidCallId: true,
      createdAt: true,
      expiresAt: true,
      deletedAt: true,
      takenDownAt: true,
      isRenewable: true,
      reservedRenewals: true,
    },
  });
  if (!upload || (upload.takenDownAt === null && isOver(upload, now))) throw new ApiError('upload_not_found');
  if (!(await isOwnedBy(app, upload, { payer, onlyOn }))) throw new ApiError('not_owner');
  if (upload.takenDownAt !== null) throw new ApiError('upload_taken_down');
  return upload;
}
