import { z } from 'zod';
import type { Prisma } from '@/lib/platform/database/generated/client';
import { channelActions, channelTargets } from './channel-actions';

/** Every action that is recorded, in words for people. Rows keep the name of an action that no longer exists. */
export const operatorActions = {
  'console.sign_in': 'signed in',
  'console.sign_out': 'signed out',
  'call.note': 'added a note to',
  'content.take_down': 'took down',
  'content.restore': 'restored',
  'content.erase': 'erased',
  'content.show': 'looked at the content of',
  'data.erase': 'erased the data of',
  'report.dismiss': 'dismissed a report of',
  'records.export': 'exported records',
  'transfer.book': 'booked a transfer as',
  'transfer.keep': 'kept the money of',
  'refund.request': 'requested a refund of',
  'refund.sign': 'asked a wallet to sign a refund of',
  'refund.send': 'recorded the transaction of a refund of',
  'refund.cancel': 'canceled a refund of',
  'refund.read': 'read the payer’s message about a refund of',
  'refund.decline': 'declined a refund of',
  'receipt_key.revoke': 'revoked',
  ...channelActions,
} as const;
export type OperatorActionName = keyof typeof operatorActions;

/** What an action can be about. */
const actionTargetKinds = [
  'paid_call',
  'wallet',
  'form',
  'upload',
  'report',
  'account',
  'network',
  'receipt_key',
  ...channelTargets,
] as const;
export type ActionTargetKind = (typeof actionTargetKinds)[number];

/** Who acts. */
export interface Operator {
  /**
   * `console:` and their name, or the id of the session if they share OPERATOR_TOKEN; or `cli:` and the system user at their
   * machine, after the name that the program was told. Never a token.
   */
  readonly name: string;
  /** The network address of a console's browser; null for the program. */
  readonly address: string | null;
}

/** An action to record. It must hold nothing that a caller sent, and no secret. */
export interface NewOperatorAction {
  readonly actor: Operator;
  readonly action: OperatorActionName;
  readonly target?: { readonly kind: ActionTargetKind; readonly id: string };
  /** A code that the action defines. */
  readonly reason?: string;
  /** Written by the operator. */
  readonly note?: string;
  /** The values that the action changed, as they were. */
  readonly before?: Prisma.InputJsonObject;
  /** The values that the action changed, as they are now. */
  readonly after?: Prisma.InputJsonObject;
  /** The same for all rows that belong to one operation of the operator: `newId('op')`. */
  readonly correlationId: string;
}

/**
 * Adds to the append-only log of what operators did. To record an action in the same transaction as its changes, pass that
 * transaction's client: `app.db.$transaction(async (db) => { …; await recordAction({ db }, action); })`.
 * @returns the id of the row
 */
export async function recordAction(
  { db }: { readonly db: Pick<Prisma.TransactionClient, 'operatorAction'> },
  { actor, target, ...rest }: NewOperatorAction,
): Promise<bigint> {
  const { id } = await db.operatorAction.create({
    data: {
      ...rest,
      actor: actor.name,
      address: actor.address,
      targetKind: target?.kind,
      targetId: target?.id,
    },
    select: { id: true },
  });
  return id;
}

const text = z.string().min(1).max(200);

/** Filters of the log, as they come from a query string. */
export const actionFilters = z.strictObject({
  /** The name of an action, including actions of earlier versions. */
  action: text.optional(),
  actor: text.optional(),
  targetKind: z.enum(actionTargetKinds).optional(),
  targetId: text.optional(),
  /** `nextCursor` of the previous page. */
  cursor: z
    .string()
    .regex(/^\d{1,18}$/)
    .transform(BigInt)
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

/** A recorded action. */
export interface OperatorAction {
  readonly id: bigint;
  readonly at: Date;
  readonly actor: string;
  readonly address: string | null;
  readonly action: string;
  readonly target: { readonly kind: string; readonly id: string } | null;
  readonly reason: string | null;
  readonly note: string | null;
  /** A JSON object. */
  readonly before: unknown;
  /** A JSON object. */
  readonly after: unknown;
  readonly correlationId: string;
}

/** A page of the log, newest first. `nextCursor` is null on the last one. */
export async function listActions(
  { db }: { readonly db: Pick<Prisma.TransactionClient, 'operatorAction'> },
  { cursor, limit, ...filters }: z.output<typeof actionFilters>,
): Promise<{ readonly actions: readonly OperatorAction[]; readonly nextCursor: string | null }> {
  // One more than requested, to know whether there are more.
  const rows = await db.operatorAction.findMany({
    where: { ...filters, id: { lt: cursor } },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const shown = rows.slice(0, limit);
  return {
    actions: shown.map(({ targetKind, targetId, ...row }) => ({
      ...row,
      target: targetKind === null || targetId === null ? null : { kind: targetKind, id: targetId },
    })),
    nextCursor: rows.length > limit ? String(shown.at(-1)?.id) : null,
  };
}
