import { createHmac, randomBytes } from 'node:crypto';
import { clientNetwork } from '@/lib/addresses/client-network';
import { processWide } from '@/lib/platform/process-wide';
import { db } from './client';

/**
 * How often somebody may try. Addresses are counted under a hash whose salt is drawn anew each day and deleted
 * afterwards: enough to count by, nothing to find anybody by.
 */

export interface Allowance {
  readonly attempts: number;
  readonly minutes: number;
}

const dayMs = 86_400_000;

/** Who tries what: a word for it, and the allowance that it is counted against. */
export type Counted = readonly [subject: string, allowance: Allowance];

/**
 * Counts one attempt against every allowance.
 * @returns the seconds after which to come again when one is used up; null when none is
 */
export async function countAttempt(counted: readonly Counted[], now: Date): Promise<number | null> {
  const rows = counted.map(([subject, { minutes }]) => ({
    key: subject,
    since: new Date(Math.floor(now.getTime() / (minutes * 60_000)) * minutes * 60_000),
  }));
  const keys = rows.map(({ key }) => key);
  const sinces = rows.map(({ since }) => since);
  // In one order, so that two statements never wait for each other's rows.
  const used = await db().$queryRaw<{ key: string; attempts: number }[]>`
    INSERT INTO attempt (key, since, attempts)
    SELECT key, since, 1 FROM unnest(${keys}::text[], ${sinces}::timestamptz[]) AS counted (key, since) ORDER BY key
    ON CONFLICT (key, since) DO UPDATE SET attempts = attempt.attempts + 1
    RETURNING key, attempts`;
  const waits = counted.flatMap(([subject, { attempts, minutes }], index) => {
    const isOver = (used.find(({ key }) => key === subject)?.attempts ?? 0) > attempts;
    const since = rows[index]?.since ?? now;
    return isOver ? [Math.ceil((since.getTime() + minutes * 60_000 - now.getTime()) / 1_000)] : [];
  });
  return waits.length > 0 ? Math.max(1, ...waits) : null;
}

/** An address as it is counted today. Of an IPv6 address the network, because a household has the whole of it. */
export async function hashAddress(address: string, now: Date): Promise<string> {
  return createHmac('sha256', await saltOf(now))
    .update(clientNetwork(address))
    .digest('base64url');
}

async function saltOf(now: Date): Promise<Uint8Array> {
  const day = new Date(Math.floor(now.getTime() / dayMs) * dayMs);
  // One at most, which is gone with its day here as well.
  const remembered = processWide('address-salt', () => new Map<number, Uint8Array>());
  const known = remembered.get(day.getTime());
  if (known) return known;
  const salt = await findOrMakeSalt(day);
  remembered.clear();
  remembered.set(day.getTime(), salt);
  return salt;
}

async function findOrMakeSalt(day: Date): Promise<Uint8Array> {
  const known = await db().addressSalt.findUnique({ where: { day } });
  if (known) return known.salt;
  await db().addressSalt.createMany({ data: { day, salt: randomBytes(32) }, skipDuplicates: true });
  return (await db().addressSalt.findUniqueOrThrow({ where: { day } })).salt;
}

/** Deletes counts and salts that count no more. */
export async function forgetAttempts(now: Date): Promise<void> {
  await db().attempt.deleteMany({ where: { since: { lt: new Date(now.getTime() - dayMs) } } });
  await db().addressSalt.deleteMany({ where: { day: { lt: new Date(now.getTime() - dayMs) } } });
}
