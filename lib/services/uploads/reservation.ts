import { uploadLimits } from '@/lib/catalog/uploads';
import { Prisma } from '@/lib/db/generated/client';
import { ApiError } from '@/lib/errors/api-error';
import type { Preparation, ServiceApp } from '@/lib/services/service';
import { getOwnUpload } from './ownership';

/**
 * Renewals and deletions take their place at the upload before they are charged, so that what is paid can also be done
 * (docs/decisions/reservations.md). The upload's own row counts them: one statement decides, whatever the number of
 * processes. A reservation ends with its effect, or with its call, by a trigger of the database.
 */

const lookAgainMs = { first: 100, most: 1_000, growth: 1.5 };
const retryAfterSeconds = 2;

/** How long one renewal makes an upload live, and how long an upload lives at most. */
const renewalTime = Prisma.sql`make_interval(hours => ${24 * uploadLimits.retentionDays}::int)`;
const lifeTime = Prisma.sql`make_interval(hours => ${24 * uploadLimits.retentionDaysMax}::int)`;

/** Where the rows of `upload` go when one more renewal adds its days: later than now, and no later than they may. */
export const renewedExpiry = Prisma.sql`LEAST(expires_at + ${renewalTime}, created_at + ${lifeTime})`;

/** Whether one more renewal would add any time after all that are reserved. */
export const hasRoom = Prisma.sql`expires_at + reserved_renewals * ${renewalTime} < created_at + ${lifeTime}`;

/** The same of an upload that was read. */
export function isFullyRenewed(upload: {
  createdAt: Date;
  expiresAt: Date;
  reservedRenewals: number;
}): boolean {
  const hourMs = 3_600_000;
  const reservedMs = upload.reservedRenewals * uploadLimits.retentionDays * 24 * hourMs;
  const lastMs = upload.createdAt.getTime() + uploadLimits.retentionDaysMax * 24 * hourMs;
  return upload.expiresAt.getTime() + reservedMs >= lastMs;
}

/**
 * Takes a place for the renewal that a call in preparation pays for.
 * @throws ApiError upload_not_found (404), not_owner (403), not_renewable, renewal_limit or upload_busy (409)
 */
export async function reserveRenewal(app: ServiceApp, id: string, call: Preparation): Promise<void> {
  await whenFree(
    app,
    () =>
      reserve(app, id, call, {
        isDeletion: false,
        change: Prisma.sql`reserved_renewals = reserved_renewals + 1`,
        condition: Prisma.sql`is_renewable AND NOT is_deletion_reserved AND ${hasRoom}`,
      }),
    async () => {
      const upload = await getOwnUpload(app, id, { payer: call.payer, now: app.clock.date() });
      if (!upload.isRenewable) throw new ApiError('not_renewable');
      if (isFullyRenewed(upload)) throw new ApiError('renewal_limit');
    },
  );
}

/**
 * Reserves the deletion that a call in preparation pays for, after every renewal that is already reserved.
 * @throws ApiError upload_not_found (404), not_owner (403) or upload_busy (409)
 */
export async function reserveDeletion(app: ServiceApp, id: string, call: Preparation): Promise<void> {
  await whenFree(
    app,
    () =>
      reserve(app, id, call, {
        isDeletion: true,
        change: Prisma.sql`is_deletion_reserved = true`,
        condition: Prisma.sql`NOT is_deletion_reserved AND reserved_renewals = 0`,
      }),
    async () => {
      await getOwnUpload(app, id, { payer: call.payer, now: app.clock.date() });
    },
  );
}

/**
 * Does something to an upload as soon as no other call is in the way.
 * @param attempt null or false when it could not be done
 * @param refuse throws when it never can be
 * @throws ApiError upload_busy (409) when the others take too long
 */
export async function whenFree<T>(
  app: ServiceApp,
  attempt: () => Promise<T | null | false>,
  refuse: () => Promise<void>,
): Promise<T> {
  const deadline = app.clock.now() + app.timings.waitForOther.reservationMs;
  for (
    let pauseMs = lookAgainMs.first;
    ;
    pauseMs = Math.min(pauseMs * lookAgainMs.growth, lookAgainMs.most)
  ) {
    const done = await attempt();
    if (done) return done;
    await refuse();
    if (app.clock.now() >= deadline) throw new ApiError('upload_busy', { retryAfterSeconds });
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

interface Place {
  readonly isDeletion: boolean;
  readonly change: Prisma.Sql;
  readonly condition: Prisma.Sql;
}

/**
 * One statement, one round trip. The call's row is locked first: a call that was taken for dead and refused meanwhile
 * reserves nothing, and one that is refused later finds its reservation to release. A call that is prepared once more,
 * because its first preparation was interrupted or could not be recorded, keeps the place that it has.
 */
async function reserve(
  app: ServiceApp,
  id: string,
  { payer, paidCallId, now }: Preparation,
  { isDeletion, change, condition }: Place,
): Promise<boolean> {
  const rows = await app.db.$queryRaw<unknown[]>`
    WITH call AS (
      SELECT id AS call_id FROM paid_call WHERE id = ${paidCallId} AND state = 'claimed' FOR UPDATE
    ), held AS (
      SELECT upload_id FROM upload_reservation JOIN call ON call_id = paid_call_id
    ), reserved AS (
      UPDATE upload SET ${change} FROM call
      WHERE NOT EXISTS (SELECT FROM held) AND id = ${id} AND owner = ${payer} AND deleted_at IS NULL AND expires_at > ${now} AND ${condition}
      RETURNING id
    ), added AS (
      INSERT INTO upload_reservation (paid_call_id, upload_id, is_deletion, created_at)
      SELECT ${paidCallId}, id, ${isDeletion}, ${now} FROM reserved
    )
    SELECT id FROM reserved
    UNION ALL
    SELECT upload_id FROM held`;
  return rows.length === 1;
}
