import type { Prisma } from '@/lib/platform/database/generated/client';

/**
 * Takes an upload down: its link answers 410 from now on, and nobody can renew it.
 * @param isErased marks it as deleted too, so that a job erases its bytes; otherwise it can be restored until then
 * @returns false when it is already down, deleted or unknown
 */
export async function takeDownUpload(
  { db }: { readonly db: Prisma.TransactionClient },
  id: string,
  isErased: boolean,
  now: Date,
): Promise<boolean> {
  const { count } = await db.upload.updateMany({
    where: { id, takenDownAt: null, deletedAt: null },
    data: { takenDownAt: now, ...(isErased && { deletedAt: now }) },
  });
  return count === 1;
}

/** Shows an upload again that was taken down. @returns false when it is not down, or deleted */
export async function restoreUpload(
  { db }: { readonly db: Prisma.TransactionClient },
  id: string,
): Promise<boolean> {
  const { count } = await db.upload.updateMany({
    where: { id, takenDownAt: { not: null }, deletedAt: null },
    data: { takenDownAt: null },
  });
  return count === 1;
}

/**
 * Marks an upload that is taken down as deleted, so that its bytes are erased. It stays taken down.
 * @returns false when it is not down, or already deleted
 */
export async function eraseUpload(
  { db }: { readonly db: Prisma.TransactionClient },
  id: string,
  now: Date,
): Promise<boolean> {
  const { count } = await db.upload.updateMany({
    where: { id, takenDownAt: { not: null }, deletedAt: null },
    data: { deletedAt: now },
  });
  return count === 1;
}
