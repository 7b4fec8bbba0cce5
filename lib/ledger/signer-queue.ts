import { z } from 'zod';
import type { WithDatabase } from '@/lib/db/database';
import type { NetworkName } from '@/lib/payments/networks';
import type { Charge, Outcome } from '@/lib/payments/payment';
import { chargesOf } from './paid-call';
import type { PaidCallState } from './states';

/** Queues a call for an instance that has a settlement key to charge. Its own instance keeps working on the call. */
export async function enqueueForSigner(app: WithDatabase, paidCallId: string, now: Date): Promise<void> {
  await app.db.$executeRaw`
    UPDATE paid_call SET queued_for_signer_at = ${now} WHERE id = ${paidCallId} AND state = 'settling'`;
}

/** Takes every charge that is queued on a network. No other instance gets the same. */
export async function dequeueForSigner(app: WithDatabase, network: NetworkName): Promise<Charge[]> {
  const rows = await app.db.$queryRaw<{ id: string }[]>`
    UPDATE paid_call SET queued_for_signer_at = NULL
    WHERE network = ${network} AND queued_for_signer_at IS NOT NULL
    RETURNING id`;
  return rows.length === 0
    ? []
    : chargesOf(
        app,
        rows.map(({ id }) => id),
      );
}

const outcomeRow = z.object({
  id: z.string(),
  state: z.custom<PaidCallState>((value) => typeof value === 'string'),
  transaction_hash: z.string().nullable(),
  refusal_reason: z.string().nullable(),
});

/** The outcomes of queued charges, without those that are still being settled. */
export async function queuedOutcomes(
  app: WithDatabase,
  paidCallIds: readonly string[],
): Promise<ReadonlyMap<string, Outcome>> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT id, state, transaction_hash, refusal_reason FROM paid_call
    WHERE id IN (SELECT jsonb_array_elements_text(${JSON.stringify(paidCallIds)}::jsonb)) AND state <> 'settling'`;
  return new Map(rows.map((raw) => outcomeOf(outcomeRow.parse(raw))));
}

function outcomeOf(row: z.output<typeof outcomeRow>): [id: string, outcome: Outcome] {
  const { id, state, transaction_hash: transactionHash } = row;
  if (state === 'refused') return [id, { kind: 'refused', reason: row.refusal_reason ?? 'payment_refused' }];
  if (state === 'unknown' || transactionHash === null) return [id, { kind: 'unknown', transactionHash }];
  return [id, { kind: 'settled', transactionHash, block: null }];
}
