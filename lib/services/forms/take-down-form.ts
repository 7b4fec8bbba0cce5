import type { Prisma } from '@/lib/platform/database/generated/client';
import { responseChannel } from './response-signals';

/**
 * Takes a form down: its page and its responses answer 410 from now on, and waiting readers are notified at once.
 * @param isErased erases content and responses too; otherwise the form can be restored until a job erases them
 * @returns false when it is already down, erased or unknown
 */
export async function takeDownForm(
  { db }: { readonly db: Prisma.TransactionClient },
  id: string,
  isErased: boolean,
  now: Date,
): Promise<boolean> {
  const { count } = await db.form.updateMany({
    where: { id, takenDownAt: null, erasedAt: null },
    data: { takenDownAt: now },
  });
  if (count === 0) return false;
  if (isErased) await eraseForm({ db }, id, now);
  await db.$queryRaw`SELECT pg_notify(${responseChannel}, ${id})::text`;
  return true;
}

/** Restores a form that was taken down. @returns false when it is not down, or erased */
export async function restoreForm(
  { db }: { readonly db: Prisma.TransactionClient },
  id: string,
): Promise<boolean> {
  const { count } = await db.form.updateMany({
    where: { id, takenDownAt: { not: null }, erasedAt: null },
    data: { takenDownAt: null },
  });
  return count === 1;
}

/**
 * Erases the content and the responses of a form that is taken down. It stays taken down.
 * @returns false when it is not down, or already erased
 */
export async function eraseForm(
  { db }: { readonly db: Prisma.TransactionClient },
  id: string,
  now: Date,
): Promise<boolean> {
  // The form's row first: a response that is being stored waits for it, then finds the form taken down.
  const count = await db.$executeRaw`
    UPDATE form SET erased_at = ${now}, content = NULL
    WHERE id = ${id} AND taken_down_at IS NOT NULL AND erased_at IS NULL`;
  if (count === 0) return false;
  await db.formResponse.deleteMany({ where: { formId: id } });
  return true;
}
