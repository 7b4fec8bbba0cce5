import type { WithDatabase } from '@/lib/platform/database/database';

/**
 * Records the nonce of a sign-in as used. When two processes get the same nonce at the same time, the key of the table decides.
 * @param nonce hex
 * @param forgetAt when nobody accepts the nonce any longer
 * @returns false when it was used before
 */
export async function recordSignIn(
  app: Pick<WithDatabase, 'db'>,
  nonce: string,
  forgetAt: Date,
): Promise<boolean> {
  const used = await app.db.usedSignIn.createMany({
    data: { nonce: new Uint8Array(Buffer.from(nonce, 'hex')), forgetAt },
    skipDuplicates: true,
  });
  return used.count === 1;
}

/** Deletes nonces that have expired. */
export async function forgetSignIns(app: Pick<WithDatabase, 'db'>, now: Date): Promise<void> {
  await app.db.usedSignIn.deleteMany({ where: { forgetAt: { lte: now } } });
}
