import type { WithDatabase } from './database';

/**
 * Records the nonce of a sign-in as used. The key of the table decides between processes that get the same one at the same time.
 * @param nonce hex
 * @param forgetAt when nobody accepts the nonce any more
 * @returns false when it was used before
 */
export async function recordSignIn(app: WithDatabase, nonce: string, forgetAt: Date): Promise<boolean> {
  const used = await app.db.usedSignIn.createMany({
    data: { nonce: new Uint8Array(Buffer.from(nonce, 'hex')), forgetAt },
    skipDuplicates: true,
  });
  return used.count === 1;
}

/** Deletes nonces that have expired. */
export async function forgetSignIns(app: WithDatabase, now: Date): Promise<void> {
  await app.db.usedSignIn.deleteMany({ where: { forgetAt: { lte: now } } });
}
