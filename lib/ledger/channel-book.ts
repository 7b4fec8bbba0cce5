import { z } from 'zod';
import type { WithDatabase } from '@/lib/db/database';
import { Prisma } from '@/lib/db/generated/client';
import { listed, type PaidCallState, submittedStates } from './states';

/** A voucher that is to pay for a claimed call. Its signature was verified. */
export interface VoucherCharge {
  readonly paidCallId: string;
  readonly channelId: string;
  /** The running total of the channel, with this call. */
  readonly maxClaimableAtomic: bigint;
  readonly signature: string;
  /** What is known of the channel on the chain must not be older than this. */
  readonly readSince: Date;
}

/** What became of a charge. `unknown`: the call has moved on without one, or there is no such call. */
export type VoucherDecision = 'settled' | 'refused' | 'unknown';

/** x402's reason code for a voucher that is not one price above the channel's total, or not covered by its balance. */
const cumulativeMismatch = 'invalid_batch_settlement_evm_cumulative_amount_mismatch';

const decision = z.object({ state: z.custom<PaidCallState>((value) => typeof value === 'string') });

/**
 * Charges a call to its channel in one statement. The voucher pays if it raises the channel's total by exactly the price, and
 * the total stays within the balance less what is being withdrawn. Otherwise the call is refused for good, its key is free,
 * and so is its authorization: an uncommitted voucher may buy something else. Safe to repeat.
 *
 * The call is found by its id alone. Once it is refused, its voucher may be that of another call, whose outcome is not its own.
 */
export async function chargeVoucher(app: WithDatabase, charge: VoucherCharge): Promise<VoucherDecision> {
  const now = app.clock.date();
  const { paidCallId, channelId, signature, readSince } = charge;
  // A client may sign more than a bigint holds.
  const total = Prisma.sql`${charge.maxClaimableAtomic.toString()}::numeric`;
  const [row] = await app.db.$queryRaw<unknown[]>`
    WITH call AS (
      SELECT id, amount_atomic FROM paid_call
      WHERE id = ${paidCallId} AND channel_id = ${channelId} AND state IN ${Prisma.raw(listed(submittedStates))}
      FOR UPDATE
    ), charged AS (
      UPDATE channel SET charged_atomic = charged_atomic + amount_atomic, signature = ${signature}, used_at = ${now}
      FROM call WHERE channel.id = ${channelId}
        AND charged_atomic + amount_atomic = ${total}
        AND claimed_atomic <= charged_atomic
        AND ${total} <= balance_atomic - withdrawing_atomic
        AND read_at >= ${readSince}
      RETURNING channel.id
    ), decided AS (
      SELECT id, EXISTS (SELECT FROM charged) AS is_paid FROM call
    )
    UPDATE paid_call SET moved_at = ${now},
      state = CASE WHEN is_paid THEN 'settled'::paid_call_state ELSE 'refused'::paid_call_state END,
      move_note = CASE WHEN is_paid THEN NULL ELSE ${cumulativeMismatch} END,
      attempt_at = CASE WHEN is_paid THEN ${now}::timestamptz ELSE attempt_at END,
      attempts = CASE WHEN is_paid THEN 0 ELSE attempts END,
      refusal_reason = CASE WHEN is_paid THEN NULL ELSE ${cumulativeMismatch} END,
      refusal_final_at = CASE WHEN is_paid THEN NULL ELSE ${now}::timestamptz END,
      input = CASE WHEN is_paid THEN paid_call.input END,
      idempotency_key_hash = CASE WHEN is_paid THEN idempotency_key_hash END,
      "authorization" = CASE WHEN is_paid THEN "authorization" ELSE "authorization" || ':' || paid_call.id END
    FROM decided WHERE paid_call.id = decided.id
    RETURNING state`;
  return decisionOf(row ?? (await decidedBefore(app, charge)));
}

async function decidedBefore(app: WithDatabase, { paidCallId, channelId }: VoucherCharge): Promise<unknown> {
  const [row] = await app.db.$queryRaw<unknown[]>`
    SELECT state FROM paid_call WHERE id = ${paidCallId} AND channel_id = ${channelId}`;
  return row;
}

function decisionOf(row: unknown): VoucherDecision {
  if (row === undefined) return 'unknown';
  const { state } = decision.parse(row);
  if (state === 'refused') return 'refused';
  return state === 'claimed' || state === 'prepared' || submittedStates.includes(state)
    ? 'unknown'
    : 'settled';
}
