import type { Claim } from '@/lib/calls/call-store';
import { type PaidCall, sha256 } from '@/lib/calls/paid-call';
import { batchedQuery, byteaOf, flushedLater } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { PaidCallState } from './states';
import { callMoves } from './transition';

/** Inserts in the order of the payments, so that batches that share payments cannot deadlock. */
const insertClaimWhere = (condition: string) =>
  batchedQuery<object, unknown>(
    `WITH asked AS (
     SELECT * FROM json_to_recordset($1::json) AS asked(n integer, id text, operation text, rail text, network text,
       asset text, payer text, "authorization" text, amount_atomic bigint, pay_to text, request_hash bytea, request_digest bytea,
       idempotency_key_hash bytea, claim_token_hash bytea, input bytea, payment bytea, valid_before timestamptz,
       worked_by text, at timestamptz, state paid_call_state, channel_id text)
     WHERE ${condition}
   ), claimed AS (
     INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
       request_hash, request_digest, idempotency_key_hash, claim_token_hash, state, input, payment, valid_before, worked_by, attempt_at,
       created_at, moved_at, channel_id)
     SELECT id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to, request_hash,
       request_digest, idempotency_key_hash, claim_token_hash, state, input, payment, valid_before, worked_by, at, at, at,
       channel_id
     FROM asked ORDER BY payer, "authorization"
     ON CONFLICT DO NOTHING
     RETURNING id
   )
   SELECT n FROM asked JOIN claimed USING (id)`,
  );
const insertClaim = insertClaimWhere('true');
const insertClaimFlushedLater = insertClaimWhere(flushedLater);

/**
 * Binds the payment and the key to one call, in one statement: unique keys decide, not an earlier query.
 * @returns the call, in state `settling`, or `claimed` when something has to be prepared; null when another call has the
 *   payment or the key
 */
export async function claim(
  app: WithDatabase & Pick<Platform, 'keys'>,
  entry: Claim,
  instanceId: string,
  now: Date,
): Promise<PaidCall | null> {
  const { payment } = entry;
  const { keyHash, tokenHash, input, kept } = stored(app, entry);
  const state: PaidCallState = entry.isPrepared ? 'claimed' : 'settling';
  const insert = entry.isFlushedLater ? insertClaimFlushedLater : insertClaim;
  const rows = await insert(app, {
    id: entry.id,
    operation: entry.operation,
    rail: entry.rail,
    network: payment.network,
    asset: payment.asset,
    payer: payment.payer,
    authorization: payment.authorization,
    amount_atomic: payment.amountAtomic.toString(),
    pay_to: payment.payTo,
    request_hash: byteaOf(entry.requestHash),
    request_digest: byteaOf(entry.requestDigest),
    idempotency_key_hash: keyHash && byteaOf(keyHash),
    claim_token_hash: tokenHash && byteaOf(tokenHash),
    state,
    input: byteaOf(input),
    payment: byteaOf(kept),
    valid_before: payment.validBefore,
    worked_by: instanceId,
    at: now,
    channel_id: payment.channelId ?? null,
  });
  return rows.length === 0 ? null : claimedCall(entry, state, instanceId, now);
}

/**
 * Restarts a refused call under its old id (`entry.id`) when its payment never left the process.
 * @returns the call, in state `claimed`; null when another process was faster, or its payment may have left after all
 */
export async function claimAgain(
  app: WithDatabase & Pick<Platform, 'keys'>,
  entry: Claim,
  instanceId: string,
  now: Date,
): Promise<PaidCall | null> {
  const { keyHash, tokenHash, input, kept } = stored(app, entry);
  const { set, isLegal } = callMoves.move('restarted', {
    at: now,
    move_note: null,
    input,
    payment: kept,
    request_digest: new Uint8Array(entry.requestDigest),
    idempotency_key_hash: keyHash,
    claim_token_hash: tokenHash,
    worked_by: instanceId,
  });
  const moved = await app.db.$executeRaw`UPDATE paid_call SET ${set} WHERE id = ${entry.id} AND ${isLegal}`;
  return moved === 0 ? null : claimedCall(entry, 'claimed', instanceId, now);
}

/** The parts of a claim that are hashed or encrypted before they are stored. */
function stored(app: WithDatabase & Pick<Platform, 'keys'>, entry: Claim) {
  const { signed } = entry.payment;
  const hashed = (secret: string | null) => (secret === null ? null : new Uint8Array(sha256(secret)));
  return {
    keyHash: hashed(entry.idempotencyKey),
    tokenHash: hashed(entry.claimToken),
    input: app.keys.encrypt(JSON.stringify(entry.input)),
    kept: app.keys.encrypt(JSON.stringify({ signed, sinceHeight: entry.sinceHeight.toString() })),
  };
}

function claimedCall(entry: Claim, state: PaidCallState, instanceId: string, now: Date): PaidCall {
  return {
    id: entry.id,
    operation: entry.operation,
    rail: entry.rail,
    state,
    payment: entry.payment,
    sinceHeight: entry.sinceHeight,
    isReadable: true,
    requestHash: entry.requestHash,
    requestDigest: entry.requestDigest,
    idempotencyKeyHash: entry.idempotencyKey === null ? null : sha256(entry.idempotencyKey),
    claimTokenHash: entry.claimToken === null ? null : sha256(entry.claimToken),
    input: entry.input,
    prepared: null,
    transactionHash: null,
    refusalReason: null,
    isRefusalFinal: false,
    answer: null,
    workedBy: instanceId,
    movedAt: now,
    moveNote: null,
    attempts: 0,
  };
}
