import { ApiError, retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import { uploadLimits } from '@/lib/catalog/uploads';
import { lockPreparing } from '@/lib/ledger/calls-of-services';
import { backoffMs } from '@/lib/platform/backoff';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { dayMs, daysAfter } from '@/lib/platform/durations';
import type { Platform } from '@/lib/platform/platform';
import type { Preparation } from '@/lib/services/service';
import { getOwnUpload, ownedBy } from './ownership';

interface ReservationDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock' | 'timings'> {}

/**
 * Renewals and deletions are reserved before they are charged, so that they can be delivered after the payment
 * (docs/decisions/delivery.md). The upload's row counts reservations, so one statement decides between any number
 * of processes. A reservation ends with its delivery, or with its call by a database trigger.
 */

const growth = 1.5;

/** How much time one renewal adds, and how long an upload may live in total. */
const renewalTime = Prisma.sql`make_interval(hours => ${24 * uploadLimits.retentionDays}::int)`;
const lifeTime = Prisma.sql`make_interval(hours => ${24 * uploadLimits.retentionDaysMax}::int)`;

/** The expiry after one more renewal, up to the maximum lifetime. */
export const renewedExpiry = Prisma.sql`LEAST(expires_at + ${renewalTime}, created_at + ${lifeTime})`;

/** Whether one more renewal would add time after all reserved ones. */
export const hasRoom = Prisma.sql`expires_at + reserved_renewals * ${renewalTime} < created_at + ${lifeTime}`;

/** The same for an upload in memory. */
export function isFullyRenewed(upload: {
  createdAt: Date;
  expiresAt: Date;
  reservedRenewals: number;
}): boolean {
  const reservedMs = upload.reservedRenewals * uploadLimits.retentionDays * dayMs;
  const lastMs = daysAfter(upload.createdAt, uploadLimits.retentionDaysMax).getTime();
  return upload.expiresAt.getTime() + reservedMs >= lastMs;
}

/** How many days the next renewal adds, rounded up. */
export function daysAdded({ createdAt, expiresAt }: { createdAt: Date; expiresAt: Date }): number {
  const leftMs = daysAfter(createdAt, uploadLimits.retentionDaysMax).getTime() - expiresAt.getTime();
  return Math.min(uploadLimits.retentionDays, Math.max(0, Math.ceil(leftMs / dayMs)));
}

/**
 * Reserves the renewal of a call in preparation.
 * @throws ApiError upload_not_found (404), not_owner (403), not_renewable, renewal_limit or upload_busy (409)
 */
export async function reserveRenewal(app: ReservationDeps, id: string, call: Preparation): Promise<void> {
  await retryUntilFree(
    app,
    () =>
      reserve(app, id, call, {
        isDeletion: false,
        change: Prisma.sql`reserved_renewals = reserved_renewals + 1`,
        condition: Prisma.sql`is_renewable AND NOT is_deletion_reserved AND ${hasRoom}`,
      }),
    async () => {
      const upload = await getOwnUpload(app, id, { ...call, now: app.clock.date() });
      if (!upload.isRenewable) throw new ApiError('not_renewable');
      if (isFullyRenewed(upload)) throw new ApiError('renewal_limit');
    },
  );
}

/**
 * Reserves the deletion of a call in preparation, after all reserved renewals.
 * @throws ApiError upload_not_found (404), not_owner (403) or upload_busy (409)
 */
export async function reserveDeletion(app: ReservationDeps, id: string, call: Preparation): Promise<void> {
  await retryUntilFree(
    app,
    () =>
      reserve(app, id, call, {
        isDeletion: true,
        change: Prisma.sql`is_deletion_reserved = true`,
        condition: Prisma.sql`NOT is_deletion_reserved AND reserved_renewals = 0`,
      }),
    async () => {
      await getOwnUpload(app, id, { ...call, now: app.clock.date() });
    },
  );
}

/**
 * Retries an operation on an upload until no other call prevents it.
 * @param attempt returns null or false when it is not possible now
 * @param refuse throws when it will never be possible
 * @throws ApiError upload_busy (409) when the others take too long
 */
export async function retryUntilFree<T>(
  app: Pick<Platform, 'clock' | 'timings'>,
  attempt: () => Promise<T | null | false>,
  refuse: () => Promise<void>,
): Promise<T> {
  const { reservationMs, reservationPollFirstMs, reservationPollMaxMs } = app.timings.waitForOther;
  const deadline = app.clock.monotonic() + reservationMs;
  const waits = { firstMs: reservationPollFirstMs, maxMs: reservationPollMaxMs, growth };
  for (let tries = 0; ; tries += 1) {
    const done = await attempt();
    if (done) return done;
    await refuse();
    if (app.clock.monotonic() >= deadline) throw new ApiError('upload_busy', { retryAfterSeconds });
    await app.clock.sleep(backoffMs(waits, tries));
  }
}

interface ReservationChange {
  readonly isDeletion: boolean;
  readonly change: Prisma.Sql;
  readonly condition: Prisma.Sql;
}

/**
 * Reserves in one statement. It locks the call's row first: a call that was refused in the meantime reserves nothing,
 * and one that is refused later finds its reservation to release. A call that is prepared again keeps its reservation.
 */
async function reserve(
  app: Pick<WithDatabase, 'db'>,
  id: string,
  { paidCallId, now, ...payer }: Preparation,
  { isDeletion, change, condition }: ReservationChange,
): Promise<boolean> {
  const rows = await app.db.$queryRaw<unknown[]>`
    WITH call (call_id) AS (
      ${lockPreparing(paidCallId)}
    ), held AS (
      SELECT upload_id FROM upload_reservation JOIN call ON call_id = paid_call_id
    ), reserved AS (
      UPDATE upload SET ${change} FROM call
      WHERE NOT EXISTS (SELECT FROM held) AND id = ${id} AND ${ownedBy(payer)} AND deleted_at IS NULL AND taken_down_at IS NULL AND expires_at > ${now} AND ${condition}
      RETURNING id
    ), added AS (
      INSERT INTO upload_reservation (paid_call_id, upload_id, is_deletion)
      SELECT ${paidCallId}, id, ${isDeletion} FROM reserved
    )
    SELECT id FROM reserved
    UNION ALL
    SELECT upload_id FROM held`;
  return rows.length === 1;
}
