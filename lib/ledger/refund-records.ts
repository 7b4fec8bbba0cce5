import { z } from 'zod';
import type { Block } from '@/lib/payments/outcome';
import type { SignatureEnd } from '@/lib/payments/refund-transfer';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { openRefundStates, type RefundMethod, type RefundReason, type RefundState } from './refund-states';
import { refundMoves } from './transition';

/** A refund of a paid call, as the ledger records it. */
export interface Refund {
  readonly id: string;
  readonly paidCallId: string;
  readonly method: RefundMethod;
  readonly state: RefundState;
  /** The network of the payment; `account` when it is posted to a prepaid account. */
  readonly network: string;
  readonly asset: string;
  /** The payer of the call, or a prepaid account. */
  readonly recipient: string;
  readonly amountAtomic: bigint;
  readonly reason: RefundReason;
  /** Written by the operator. Callers do not see it. */
  readonly note: string | null;
  /** Chain head when it was requested; null without a wallet. */
  readonly sinceHeight: bigint | null;
  /** EVM: until when the chain accepts what a wallet was last asked to sign for it. Null when no wallet was asked. */
  readonly signableUntil: Date | null;
  /** Solana: the last block height at which the chain accepts what a wallet was last asked to sign for it. */
  readonly signableUntilHeight: bigint | null;
  /** Solana: the last block height at which the chain accepts what was sent for it; null when that is not known. */
  readonly sentUntilHeight: bigint | null;
  readonly transactionHash: string | null;
  /** The block of its transfer; null while no block holds it. */
  readonly blockNumber: bigint | null;
  /** Null on Solana. */
  readonly blockHash: string | null;
  readonly reorganizations: number;
  readonly requestedAt: Date;
  /** When it entered its current state. */
  readonly movedAt: Date;
  /** Why it failed or was cancelled: a code. */
  readonly moveNote: string | null;
}

/** The database, or a transaction on it. */
type Db = Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw'>;

const columns = Prisma.sql`id, paid_call_id AS "paidCallId", method, state, network, asset, recipient,
  amount_atomic AS "amountAtomic", reason, note, since_height AS "sinceHeight",
  signable_until AS "signableUntil", signable_until_height AS "signableUntilHeight",
  sent_until_height AS "sentUntilHeight", transaction_hash AS "transactionHash",
  block_number AS "blockNumber", block_hash AS "blockHash", reorganizations, requested_at AS "requestedAt", moved_at AS "movedAt",
  move_note AS "moveNote"`;

/** The refunds of a call, newest first. */
export function refundsOf(app: Pick<WithDatabase, 'db'>, paidCallId: string): Promise<Refund[]> {
  return app.db.$queryRaw<Refund[]>`
    SELECT ${columns} FROM refund WHERE paid_call_id = ${paidCallId} ORDER BY round DESC`;
}

/** @returns null when there is no such refund */
export async function findRefund(app: { readonly db: Db }, id: string): Promise<Refund | null> {
  const [row] = await app.db.$queryRaw<Refund[]>`SELECT ${columns} FROM refund WHERE id = ${id}`;
  return row ?? null;
}

/** The fields that are fixed when a refund begins. */
export interface NewRefund {
  readonly paidCallId: string;
  readonly method: RefundMethod;
  /** The prepaid account to credit; null when the payer is refunded on chain. */
  readonly accountId: string | null;
  readonly reason: RefundReason;
  readonly note: string | null;
  readonly sinceHeight: bigint | null;
}

/**
 * Begins a refund as `requested`. The database refuses it unless the call may be refunded and has no other refund that is
 * open or confirmed.
 * @returns its id
 * @throws a unique violation when another one is open or confirmed, a check violation when the call may not be refunded
 */
export async function insertRefund(db: Db, refund: NewRefund, checkAt: Date, now: Date): Promise<string> {
  const id = newId('rf');
  const { paidCallId, method, accountId, reason, note, sinceHeight } = refund;
  const inserted = await db.$executeRaw`
    INSERT INTO refund (id, paid_call_id, round, method, state, network, asset, recipient, amount_atomic, reason, note,
      since_height, check_at, requested_at, moved_at)
    SELECT ${id}, id, (SELECT count(*) FROM refund WHERE paid_call_id = paid_call.id), ${method}::refund_method, 'requested',
      CASE WHEN ${method} = 'account' THEN 'account' ELSE network END, asset,
      CASE WHEN ${method} = 'account' THEN ${accountId} ELSE payer END, amount_atomic, ${reason}, ${note},
      ${sinceHeight}::bigint, ${checkAt}, ${now}, ${now}
    FROM paid_call WHERE id = ${paidCallId}`;
  if (inserted !== 1) throw new Error('there is no such call to refund');
  return id;
}

/**
 * Records that a wallet is asked to sign an open refund.
 * @param end the last moment, or block height, at which the chain accepts what the wallet signs
 * @returns false when the refund has moved on, or its transaction is in a block
 */
export async function recordRefundSignable(
  db: Db,
  id: string,
  { until, untilHeight }: SignatureEnd,
): Promise<boolean> {
  const moved = await db.$executeRaw`
    UPDATE refund SET signable_until = GREATEST(signable_until, ${until}::timestamptz),
      signable_until_height = GREATEST(signable_until_height, ${untilHeight}::bigint)
    WHERE id = ${id} AND ${refundMoves.isLegal('sent', 'sentAgain')}`;
  return moved === 1;
}

/** A transaction that is, or may become, the transfer of a refund. */
export interface SentTransaction {
  readonly transactionHash: string;
  /** The last block height at which the chain may accept it; null where the height does not matter. */
  readonly untilHeight: bigint | null;
}

/**
 * Sets the transaction of an open refund: `requested` becomes `sent`; a refund that is already `sent` gets the new transaction,
 * unless its current one is in a block.
 * @param as the refund as the caller knows it: when two callers set a transaction at once, only one succeeds
 * @returns false when the refund has moved on, or its transaction is in a block
 */
export async function recordRefundSent(
  db: Db,
  as: Pick<Refund, 'id' | 'transactionHash'>,
  { transactionHash, untilHeight }: SentTransaction,
  note: string | null,
  now: Date,
): Promise<boolean> {
  const given = {
    at: now,
    move_note: note,
    transaction_hash: transactionHash,
    sent_until_height: Prisma.sql`GREATEST(sent_until_height, ${untilHeight}::bigint)`,
  };
  const { set, isLegal } = refundMoves.moveByState({ sent: given, sentAgain: given });
  const moved = await db.$executeRaw`
    UPDATE refund SET ${set}
    WHERE id = ${as.id} AND transaction_hash IS NOT DISTINCT FROM ${as.transactionHash} AND ${isLegal}`;
  return moved === 1;
}

/** The transfer of a refund, as found on the chain. */
export interface TransferLocation {
  /** EVM: the index of the log. Solana: the index of the recipient's token account in the transaction. */
  readonly index: number;
  readonly block: Block;
}

/**
 * Records which transfer in its transaction pays a refund, and its block. From here on no other refund can claim that transfer.
 * @throws a unique violation when another refund already has it
 */
export async function recordRefundIncluded(
  db: Db,
  { id, transactionHash }: Pick<Refund, 'id' | 'transactionHash'>,
  { index, block }: TransferLocation,
): Promise<void> {
  await db.$executeRaw`
    UPDATE refund SET transfer_index = ${index}, block_number = ${block.number}, block_hash = ${block.hash}
    WHERE id = ${id} AND state = 'sent' AND transaction_hash = ${transactionHash}`;
}

/** A reorganization removed the transfer of a refund from its block. The refund stays `sent`, and is on the worklist. */
export async function recordRefundReorganized(
  db: Db,
  { id, transactionHash, blockNumber }: Pick<Refund, 'id' | 'transactionHash' | 'blockNumber'>,
  now: Date,
): Promise<boolean> {
  const { set, isLegal } = refundMoves.move('reorganized', { at: now, move_note: 'reorganized' });
  const moved = await db.$executeRaw`
    UPDATE refund SET ${set}
    WHERE id = ${id} AND ${isLegal} AND transaction_hash = ${transactionHash} AND block_number = ${blockNumber}`;
  return moved === 1;
}

/**
 * Locks the call of a refund until the end of the transaction. A refund that begins locks its call before its own row, so a
 * transaction that comes to both has to do the same, or the two wait for each other: one that confirms a refund, and one that
 * writes a refund twice, because PostgreSQL then looks up its call again.
 */
export async function lockRefundedCall(db: Db, { paidCallId }: Pick<Refund, 'paidCallId'>): Promise<void> {
  await db.$executeRaw`SELECT FROM paid_call WHERE id = ${paidCallId} FOR UPDATE`;
}

/**
 * `sent` to `confirmed`, with the transfer. Triggers move the call to `refunded` and post the money in the same statement. It
 * locks the call before the refund, as `lockRefundedCall` explains.
 * @returns false when the refund has moved on
 * @throws a unique violation when another refund already has that transfer
 */
export async function recordRefundConfirmed(
  db: Db,
  { id, transactionHash }: Pick<Refund, 'id' | 'transactionHash'>,
  { index, block }: TransferLocation,
  now: Date,
): Promise<boolean> {
  const place = { transfer_index: index, block_number: block.number, block_hash: block.hash };
  const { set, isLegal } = refundMoves.move('confirmed', { at: now, move_note: null, ...place });
  const moved = await db.$executeRaw`
    WITH locked AS (
      SELECT id FROM paid_call WHERE id = (SELECT paid_call_id FROM refund WHERE id = ${id}) FOR UPDATE
    )
    UPDATE refund SET ${set} FROM locked
    WHERE refund.id = ${id} AND paid_call_id = locked.id AND ${isLegal} AND transaction_hash = ${transactionHash}`;
  return moved === 1;
}

/** `requested` to `confirmed` for a refund into a prepaid account: triggers credit it, move the call and post the money. */
export async function recordRefundPosted(db: Db, id: string, now: Date): Promise<void> {
  const { set, isLegal } = refundMoves.move('posted', { at: now, move_note: null });
  await db.$executeRaw`UPDATE refund SET ${set} WHERE id = ${id} AND ${isLegal} AND method = 'account'`;
}

/** What a caller knows of a refund's signatures, so that the refund is left alone if a wallet has been asked since. */
type KnownSignatures = Pick<Refund, 'signableUntil' | 'signableUntilHeight'>;

function hasSignatures({ signableUntil, signableUntilHeight }: KnownSignatures): Prisma.Sql {
  return Prisma.sql`signable_until IS NOT DISTINCT FROM ${signableUntil}::timestamptz
    AND signable_until_height IS NOT DISTINCT FROM ${signableUntilHeight}::bigint`;
}

/**
 * `sent` to `failed`: its transaction is final without the transfer, and nothing else that was signed for it can still be
 * carried out.
 * @param as the refund as the caller knows it: if it has changed since, it is left alone
 */
export async function recordRefundFailed(
  db: Db,
  as: Pick<Refund, 'id' | 'transactionHash'> & KnownSignatures,
  note: string,
  now: Date,
): Promise<boolean> {
  const { set, isLegal } = refundMoves.move('failed', { at: now, move_note: note });
  const moved = await db.$executeRaw`
    UPDATE refund SET ${set}
    WHERE id = ${as.id} AND ${isLegal} AND transaction_hash = ${as.transactionHash} AND ${hasSignatures(as)}`;
  return moved === 1;
}

/**
 * Cancels a refund whose transfer is in no block, or takes a failed one off the worklist.
 * @param as the refund as the caller knows it: if it has changed since, it is left alone
 */
export async function recordRefundCancelled(
  db: Db,
  as: Pick<Refund, 'id' | 'state' | 'transactionHash'> & KnownSignatures,
  now: Date,
): Promise<boolean> {
  const given = { at: now, move_note: 'by_operator' };
  const { set, isLegal } = refundMoves.moveByState({ cancelled: given, dismissed: given });
  const moved = await db.$executeRaw`
    UPDATE refund SET ${set}
    WHERE id = ${as.id} AND state = ${as.state}::refund_state AND ${isLegal}
      AND transaction_hash IS NOT DISTINCT FROM ${as.transactionHash} AND ${hasSignatures(as)}`;
  return moved === 1;
}

/** The condition that a refund is open and due for a check on the chain. */
export function isRefundToCheck(now: Date): Prisma.Sql {
  return Prisma.sql`state IN (${Prisma.raw(openRefundStates.map((state) => `'${state}'`).join(', '))}) AND check_at <= ${now}`;
}

/**
 * Takes open refunds whose check is due, the longest overdue first. Each is due again after a wait that grows with the time
 * since its last move, so a process that dies during a check only delays that check.
 */
export function takeRefundsToCheck(
  app: WithDatabase & Pick<Platform, 'timings'>,
  now: Date,
  limit: number,
): Promise<Refund[]> {
  const { checkFirstMs, checkMaxMs } = app.timings.refunds;
  const waitMs = Prisma.sql`LEAST(${checkMaxMs}, GREATEST(${checkFirstMs},
    extract(epoch FROM ${now}::timestamptz - moved_at) * 1000 / 10))`;
  return app.db.$queryRaw<Refund[]>`
    UPDATE refund SET check_at = ${now}::timestamptz + ${waitMs} * interval '1 millisecond'
    WHERE id IN (
      SELECT id FROM refund WHERE ${isRefundToCheck(now)} ORDER BY check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    RETURNING ${columns}`;
}

const usedRow = z.object({ transfer_index: z.number().nullable() });

/** How other refunds use a transaction. */
export interface UsedTransfers {
  /** The transfers that already belong to a refund. */
  readonly indexes: ReadonlySet<number>;
  /** How many refunds name the transaction but are not matched to one of its transfers yet. */
  readonly undecided: number;
}

/** How refunds already use a transaction, without counting one of them. */
export async function usedTransfers(
  app: Pick<WithDatabase, 'db'>,
  network: string,
  transactionHash: string,
  exceptId: string | null,
): Promise<UsedTransfers> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT transfer_index FROM refund WHERE network = ${network} AND transaction_hash = ${transactionHash}
      AND state IN ('sent', 'confirmed') AND id IS DISTINCT FROM ${exceptId}`;
  const indexes = rows.flatMap((row) => usedRow.parse(row).transfer_index ?? []);
  return { indexes: new Set(indexes), undecided: rows.length - indexes.length };
}
