import type { AbandonedCall, NextAttempt } from '@/lib/calls/call-store';
import type { PaidCall } from '@/lib/calls/paid-call';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Platform } from '@/lib/platform/platform';
import { paidCallColumns, toPaidCall } from './paid-call-rows';
import { listed, openStates } from './states';

/** Who works on an unfinished call, and when recovery may. */

type UnfinishedCall = Pick<PaidCall, 'id' | 'state'>;

/**
 * Takes over an unfinished call that no live instance works on.
 * @returns the call; null when a live instance works on it, or it has moved on
 */
export function takeOver(
  app: WithDatabase & Pick<Platform, 'keys' | 'problems'>,
  call: UnfinishedCall,
  instanceId: string,
): Promise<PaidCall | null> {
  return takeOverCounting(app, call, instanceId, 0);
}

/**
 * Takes over an unfinished call for recovery, as above. The attempt is counted before its work begins, so an attempt that
 * crashes its process counts too.
 */
export function takeOverForRecovery(
  app: WithDatabase & Pick<Platform, 'keys' | 'problems'>,
  call: UnfinishedCall,
  instanceId: string,
): Promise<PaidCall | null> {
  return takeOverCounting(app, call, instanceId, 1);
}

async function takeOverCounting(
  app: WithDatabase & Pick<Platform, 'keys' | 'problems'>,
  call: UnfinishedCall,
  instanceId: string,
  attempts: number,
): Promise<PaidCall | null> {
  const [row] = await app.db.$queryRaw<unknown[]>`
    UPDATE paid_call SET worked_by = ${instanceId}, attempts = attempts + ${attempts}::int
    WHERE id = ${call.id} AND state = ${call.state}::paid_call_state
      AND (worked_by IS NULL
        OR NOT EXISTS (SELECT 1 FROM instance WHERE instance.id = worked_by AND alive_until > now()))
    RETURNING ${paidCallColumns}`;
  return row === undefined ? null : toPaidCall(app, row);
}

/** Releases a call that is no longer worked on. Recovery may take it from `attemptAt`. */
export async function release(
  app: WithDatabase,
  id: string,
  instanceId: string,
  attemptAt: Date,
): Promise<void> {
  await app.db.$executeRaw`
    UPDATE paid_call SET worked_by = NULL, attempt_at = ${attemptAt}
    WHERE id = ${id} AND worked_by = ${instanceId}`;
}

/**
 * Releases a call that could not be finished now; recovery tries again from `attemptAt`. A call that was settled while its
 * charge was attempted stays due for delivery at once.
 */
export async function postpone(
  app: WithDatabase,
  id: string,
  instanceId: string,
  next: NextAttempt,
): Promise<void> {
  await app.db.$executeRaw`
    UPDATE paid_call SET worked_by = NULL,
      attempts = CASE WHEN (state = 'settled') = ${next.isDelivery} THEN ${next.attempts}::int
        ELSE attempts END,
      attempt_at = CASE WHEN (state = 'settled') = ${next.isDelivery} THEN ${next.attemptAt}::timestamptz
        ELSE attempt_at END,
      move_note = COALESCE(${next.note ?? null}, move_note)
    WHERE id = ${id} AND worked_by = ${instanceId}`;
}

/**
 * Records that a request may leave for a third party, for a settled call. A process that takes the call over from here on no
 * longer reads that nothing was sent.
 * @returns false when the instance no longer holds the call
 */
export async function recordSending(app: WithDatabase, id: string, instanceId: string): Promise<boolean> {
  const recorded = await app.db.$executeRaw`
    UPDATE paid_call SET move_note = NULL
    WHERE id = ${id} AND worked_by = ${instanceId} AND state = 'settled'`;
  return recorded > 0;
}

/** Ids of the unfinished calls that an instance holds according to the database. */
export async function heldCalls(app: WithDatabase, instanceId: string): Promise<string[]> {
  const rows = await app.db.$queryRaw<{ id: string }[]>`
    SELECT id FROM paid_call
    WHERE state IN ${Prisma.raw(listed(openStates))} AND worked_by = ${instanceId}`;
  return rows.map(({ id }) => id);
}

/** The unfinished calls that are due and that no live instance works on. */
export function isAbandoned(now: Date): Prisma.Sql {
  return Prisma.sql`state IN ${Prisma.raw(listed(openStates))} AND attempt_at <= ${now}
    AND (worked_by IS NULL
      OR NOT EXISTS (SELECT 1 FROM instance WHERE instance.id = worked_by AND alive_until > now()))`;
}

/**
 * Unfinished calls that are due and that no live instance works on, oldest first. Their content stays encrypted: a call that
 * cannot be decrypted must not hold up the others.
 */
export function abandonedCalls(app: WithDatabase, now: Date, limit: number): Promise<AbandonedCall[]> {
  return app.db.$queryRaw<AbandonedCall[]>`
    SELECT id, operation, state, attempts FROM paid_call WHERE ${isAbandoned(now)}
    ORDER BY attempt_at LIMIT ${limit}`;
}
