import { ApiError } from '@/lib/errors/api-error';
import type { ServiceApp } from '@/lib/services/service';
import { isOver } from './slot';

/**
 * A living upload of this payer's. Throws upload_not_found when there is none or it is over, not_owner when another
 * wallet paid for it, and upload_taken_down when the operator took it down.
 */
export async function getOwnUpload(
  app: ServiceApp,
  id: string,
  { payer, now }: { payer: string; now: Date },
) {
  const upload = await app.db.upload.findUnique({
    where: { id },
    select: {
      owner: true,
      createdAt: true,
      expiresAt: true,
      deletedAt: true,
      takenDownAt: true,
      isRenewable: true,
      reservedRenewals: true,
    },
  });
  if (!upload || (upload.takenDownAt === null && isOver(upload, now))) throw new ApiError('upload_not_found');
  if (upload.owner !== payer) throw new ApiError('not_owner');
  if (upload.takenDownAt !== null) throw new ApiError('upload_taken_down');
  return upload;
}
