import { createHmac } from 'node:crypto';
import { clientNetwork } from '@/lib/platform/addresses/client-network';
import type { WithDatabase } from '@/lib/platform/database/database';
import { daysAfter } from '@/lib/platform/durations';

/**
 * Limits on attempts. Addresses are counted by a hash with a salt that changes every day and is then deleted, so that the
 * counts identify nobody.
 */

export interface Allowance {
  readonly attempts: number;
  readonly minutes: number;
}

/** What an attempt counts against: a subject and its allowance. */
export type CountedAttempt = readonly [subject: string, allowance: Allowance];

/**
 * Counts one attempt against every allowance.
 * @returns seconds until the next attempt when an allowance is used up; otherwise null
 */
export async function countAttempt(
  app: Pick<WithDatabase, 'db'>,
  counted: readonly CountedAttempt[],
  now: Date,
): Promise<number | null> {
  const rows = counted.map(([subject, { minutes }]) => ({
    key: subject,
    since: new Date(Math.floor(now.getTime() / (minutes * 60_000)) * minutes * 60_000),
  }));
  const keys = rows.map(({ key }) => key);
  const sinces = rows.map(({ since }) => since);
  // A fixed order, so that two statements cannot deadlock.
  const used = await app.db.$queryRaw<{ key: string; attempts: number }[]>`
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

/** Adds to what is counted for these subjects in the period that begins at `since`. A negative amount gives some back. */
export async function addToCounts(
  app: Pick<WithDatabase, 'db'>,
  subjects: readonly string[],
  since: Date,
  amount: number,
): Promise<void> {
  // A fixed order, so that two statements cannot deadlock.
  const ordered = [...subjects].sort();
  await app.db.$executeRaw`
    INSERT INTO attempt (key, since, attempts)
    SELECT key, ${since}::timestamptz, ${amount}::integer FROM unnest(${ordered}::text[]) AS counted (key) ORDER BY key
    ON CONFLICT (key, since) DO UPDATE SET attempts = attempt.attempts + EXCLUDED.attempts`;
}

/** The hash of an address for today. An IPv6 address counts as its network, because a household has all of it. */
export async function hashAddress(
  app: Pick<WithDatabase, 'addressSalts'>,
  address: string,
  now: Date,
): Promise<string> {
  return createHmac('sha256', await app.addressSalts.of(now))
    .update(clientNetwork(address))
    .digest('base64url');
}

/** Deletes expired counts and salts. */
export async function forgetAttempts(app: Pick<WithDatabase, 'db'>, now: Date): Promise<void> {
  const before = daysAfter(now, -1);
  const day = before.toISOString().slice(0, 'YYYY-MM-DD'.length);
  await app.db.$executeRaw`
    WITH salts AS (DELETE FROM address_salt WHERE day < ${day}::date)
    DELETE FROM attempt WHERE since < ${before}`;
}
