import { z } from 'zod';
import { type Earlier, type PaidCall, sha256 } from '@/lib/calls/paid-call';
import type { RailName } from '@/lib/catalog/operation';
import { isSolanaName, type NetworkName } from '@/lib/payments/network-offers';
import type { Charge } from '@/lib/payments/outcome';
import { type Payment, signedPaymentSchema } from '@/lib/payments/payment';
import { batchedQuery, byteaOf } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { readKeptAnswer, unpackAnswer } from './kept-answer';
import type { PaidCallState } from './states';

const bytes = (buffer: Uint8Array | null) => (buffer === null ? null : byteaOf(buffer));

/** What `payment` stores, encrypted: enough to submit or look up the payment after a crash. */
const keptPayment = z.object({ signed: signedPaymentSchema, sinceHeight: z.coerce.bigint() });

const erasedPayment = { signed: { family: 'erased' }, sinceHeight: 0n } as const;

/** The columns of a row that `toPaidCall` reads. */
export const paidCallColumns = Prisma.sql`id, operation, rail, state, network, asset, payer, "authorization", amount_atomic, pay_to,
  valid_before, request_hash, request_digest, idempotency_key_hash, claim_token_hash, input, prepared, payment, transaction_hash,
  refusal_reason, refusal_final_at, answer_status, answer, worked_by, moved_at, move_note, attempts, channel_id`;

/** Raw rows are parsed, not trusted: the column list above and this schema must agree. */
const rowSchema = z.object({
  id: z.string(),
  operation: z.string(),
  rail: z.custom<RailName>((value) => typeof value === 'string'),
  state: z.custom<PaidCallState>((value) => typeof value === 'string'),
  network: z.custom<NetworkName>((value) => typeof value === 'string'),
  asset: z.string(),
  payer: z.string(),
  authorization: z.string(),
  amount_atomic: z.coerce.bigint(),
  pay_to: z.string(),
  valid_before: z.date(),
  request_hash: z.instanceof(Uint8Array),
  request_digest: z.instanceof(Uint8Array).nullable(),
  idempotency_key_hash: z.instanceof(Uint8Array).nullable(),
  claim_token_hash: z.instanceof(Uint8Array).nullable(),
  input: z.instanceof(Uint8Array).nullable(),
  prepared: z.instanceof(Uint8Array).nullable(),
  payment: z.instanceof(Uint8Array).nullable(),
  transaction_hash: z.string().nullable(),
  refusal_reason: z.string().nullable(),
  refusal_final_at: z.date().nullable(),
  answer_status: z.number().nullable(),
  answer: z.instanceof(Uint8Array).nullable(),
  worked_by: z.string().nullable(),
  moved_at: z.date(),
  move_note: z.string().nullable(),
  attempts: z.number(),
  channel_id: z.string().nullable(),
});

export function toPaidCall(app: WithDatabase & Pick<Platform, 'keys' | 'problems'>, raw: unknown): PaidCall {
  const row = rowSchema.parse(raw);
  let opened: { signed: Payment['signed']; sinceHeight: bigint } | undefined;
  // Needed only to charge; a replay does without it.
  const kept = () => {
    opened ??=
      row.payment === null
        ? erasedPayment
        : keptPayment.parse(JSON.parse(app.keys.decrypt(row.payment).toString()));
    return opened;
  };
  let isReadable = true;
  const open = (sealed: Uint8Array | null): Buffer | null => {
    if (sealed === null) return null;
    const opened = app.keys.tryDecrypt(sealed);
    isReadable &&= opened !== null;
    return opened;
  };
  const [input, prepared, answer] = [open(row.input), open(row.prepared), open(row.answer)];
  if (!isReadable) {
    const problem = app.problems.get('stored calls that no DATA_KEY opens');
    problem.report('error', { paidCallId: row.id }, 'no DATA_KEY opens a stored paid call');
  }
  return {
    id: row.id,
    operation: row.operation,
    rail: row.rail,
    state: row.state,
    payment: {
      network: row.network,
      asset: row.asset,
      payer: row.payer,
      authorization: row.authorization,
      amountAtomic: row.amount_atomic,
      payTo: row.pay_to,
      validBefore: row.valid_before,
      ...(row.channel_id === null ? {} : { channelId: row.channel_id }),
      get signed() {
        return kept().signed;
      },
    },
    get sinceHeight() {
      return kept().sinceHeight;
    },
    isReadable,
    requestHash: Buffer.from(row.request_hash),
    requestDigest: row.request_digest && Buffer.from(row.request_digest),
    idempotencyKeyHash: row.idempotency_key_hash && Buffer.from(row.idempotency_key_hash),
    claimTokenHash: row.claim_token_hash && Buffer.from(row.claim_token_hash),
    input: input === null ? null : JSON.parse(input.toString()),
    prepared: prepared === null ? null : JSON.parse(prepared.toString()),
    transactionHash: row.transaction_hash,
    refusalReason: row.refusal_reason,
    isRefusalFinal: row.state === 'refused' && row.refusal_final_at !== null,
    answer:
      row.answer_status === null || answer === null
        ? null
        : { status: row.answer_status, ...readKeptAnswer(unpackAnswer(answer)) },
    workedBy: row.worked_by,
    movedAt: row.moved_at,
    moveNote: row.move_note,
    attempts: row.attempts,
  };
}

/**
 * The rows that can be decrypted. A row that no DATA_KEY opens is logged and left out, so that it does not hold up the calls
 * of other payers.
 */
export function toReadableCalls(
  app: WithDatabase & Pick<Platform, 'log' | 'keys' | 'problems'>,
  rows: readonly unknown[],
): PaidCall[] {
  return rows.flatMap((raw) => {
    try {
      // Copied, so that it is decrypted here or fails here.
      return [{ ...toPaidCall(app, raw) }];
    } catch (error) {
      const { id } = z.object({ id: z.string() }).parse(raw);
      app.log.error({ paidCallId: id, error: describeError(error) }, 'a stored paid call could not be read');
      return [];
    }
  });
}

const selectEarlier = batchedQuery<object, unknown>(
  `SELECT asked.n, found.*
   FROM json_to_recordset($1::json) AS asked(n integer, network text, asset text, payer text, "authorization" text,
     key_hash bytea)
   CROSS JOIN LATERAL (
     SELECT ${paidCallColumns.text} FROM paid_call
     WHERE network = asked.network AND asset = asked.asset AND payer = asked.payer
       AND "authorization" = asked."authorization"
     UNION ALL
     SELECT ${paidCallColumns.text} FROM paid_call WHERE payer = asked.payer AND idempotency_key_hash = asked.key_hash
   ) AS found`,
);

/** Finds the call that an authorization bought, and the one under the payer's key. Concurrent lookups share one round trip. */
export async function findEarlier(
  app: WithDatabase & Pick<Platform, 'keys' | 'problems'>,
  payment: Payment,
  idempotencyKey: string | null,
): Promise<Earlier> {
  const keyHash = idempotencyKey === null ? null : sha256(idempotencyKey);
  const { network, asset, payer, authorization } = payment;
  const rows = await selectEarlier(app, { network, asset, payer, authorization, key_hash: bytes(keyHash) });
  const calls = rows.map((row) => toPaidCall(app, row));
  return {
    byAuthorization: calls.find((call) => isSamePayment(call.payment, payment)) ?? null,
    byKey: calls.find((call) => keyHash && call.idempotencyKeyHash?.equals(keyHash)) ?? null,
  };
}

function isSamePayment(one: Payment, other: Payment): boolean {
  return (
    one.network === other.network && one.asset === other.asset && one.authorization === other.authorization
  );
}

/**
 * The id of the call that has a payment; null when there is none. On Solana, the hash of the message identifies a payment,
 * whichever wallet is taken for its payer. On other networks, payers choose their nonces, so two payers may choose the same
 * one.
 */
export async function findCallOfPayment(
  { db }: WithDatabase,
  payment: Pick<Payment, 'network' | 'asset' | 'authorization'> & { readonly payer: string | null },
): Promise<string | null> {
  const { network, asset, authorization, payer } = payment;
  const call = await db.paidCall.findFirst({
    select: { id: true },
    where: { network, asset, authorization, ...(isSolanaName(network) || payer === null ? {} : { payer }) },
  });
  return call?.id ?? null;
}

/** A call by its id; null when there is none. */
export async function findPaidCall(
  app: WithDatabase & Pick<Platform, 'keys' | 'problems'>,
  id: string,
): Promise<PaidCall | null> {
  const [row] = await app.db.$queryRaw<unknown[]>`SELECT ${paidCallColumns} FROM paid_call WHERE id = ${id}`;
  return row === undefined ? null : toPaidCall(app, row);
}

/** The charges of calls by their ids, without those that cannot be decrypted. */
export async function chargesOf(
  app: WithDatabase & Pick<Platform, 'log' | 'keys' | 'problems'>,
  ids: readonly string[],
): Promise<Charge[]> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT ${paidCallColumns} FROM paid_call WHERE id IN (SELECT jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`;
  return toReadableCalls(app, rows).map(chargeOf);
}

/** The charges that a settlement transaction carries, without those that cannot be decrypted. */
export async function carriedCharges(
  app: WithDatabase & Pick<Platform, 'log' | 'keys' | 'problems'>,
  settlementId: string,
): Promise<Charge[]> {
  const rows = await app.db.$queryRaw<
    unknown[]
  >`SELECT ${paidCallColumns} FROM paid_call WHERE settlement_id = ${settlementId}`;
  return toReadableCalls(app, rows).map(chargeOf);
}

function chargeOf({ id, payment }: PaidCall): Charge {
  return { paidCallId: id, payment };
}
