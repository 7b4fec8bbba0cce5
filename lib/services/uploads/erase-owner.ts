import type { Prisma } from '@/lib/platform/database/generated/client';

/** What the link of an erased upload is called. */
const erasedName = 'erased';

/**
 * Ends all links of an owner, and erases the names and tags of their files. The type, size and hash stay, as proof of the delivery. Leaves
 * out uploads that a paid call is about to renew or delete.
 * @returns the ids of the uploads that it changed; their bytes are still there
 */
export async function eraseUploadsOf(
  { db }: { readonly db: Prisma.TransactionClient },
  owner: string,
  now: Date,
): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    UPDATE upload SET deleted_at = COALESCE(deleted_at, ${now}), slug = ${erasedName}, filename = NULL, tags = '{}'
    WHERE owner = ${owner} AND reserved_renewals = 0 AND NOT is_deletion_reserved
      AND (deleted_at IS NULL OR slug <> ${erasedName} OR filename IS NOT NULL OR tags <> '{}')
    RETURNING id`;
  return rows.map(({ id }) => id);
}
