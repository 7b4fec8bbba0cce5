import { ApiError } from '@/lib/errors/api-error';
import type { ServiceApp } from '@/lib/services/service';
import { isOver } from './slot';

/**
 * A living upload of this payer's. Throws upload_not_found when there is none or it is over, and not_owner when another
 * wallet paid for it.
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
      isRenewable: true,
      reservedRenewals: true,
    },
  });
  if (!upload || isOver(upload, now)) throw new ApiError('upload_not_found');
  if (upload.owner !== payer) throw new ApiError('not_owner');
  return upload;
}
