import type { CallMoves } from '@/lib/calls/call-store';
import { isFailure, type StoredAnswer } from '@/lib/calls/paid-call';
import { answerExpiry, failureReason, keptAnswer } from '@/lib/ledger/kept-answer';
import { credit, isOpenAccount } from './memory-balances';
import type { Tables } from './memory-database';
import { recordOutcome } from './memory-outcomes';
import type { MemoryProcess } from './memory-process';
import { insertRefund, post } from './memory-refund-rows';
import type { PaidCallRow } from './memory-rows';
import { moveOfCall } from './memory-transitions';

/** The twin of the moves of paid calls in lib/ledger/call-moves.ts. */
export function memoryCallMoves(process: MemoryProcess): CallMoves {
  /** Moves a call, if any of the events can happen to it. */
  const move = (
    id: string,
    events: readonly Parameters<typeof moveOfCall>[0][],
    given: Parameters<typeof moveOfCall>[2],
  ) => process.query((tables) => moveIn(tables, id, events, given) !== null);
  return {
    recordPrepared: ({ id }, prepared, at) =>
      move(id, ['prepared'], { at, moveNote: null, prepared: JSON.stringify(prepared ?? null) }),
    recordUnprepared: ({ id }, reason, at) =>
      move(id, ['unprepared', 'unpreparedAgain'], { at, moveNote: reason, refusalReason: reason }),
    recordOutcome: (paidCallId, outcome, now) =>
      process.query((tables) => recordOutcome(process, tables, paidCallId, outcome, now)),
    recordResubmission: ({ id }, at) => move(id, ['resubmitted'], { at, moveNote: null }),
    recordReopened: ({ id }, at) => move(id, ['reopened'], { at, moveNote: null, workedBy: process.id }),
    recordRefusalFinal: (id, now) =>
      process.query(({ paidCall }) => {
        const row = paidCall.get(id);
        if (row?.state !== 'refused' || row.refusalFinalAt !== null) return;
        paidCall.update(row, {
          refusalFinalAt: now,
          input: null,
          prepared: null,
          idempotencyKeyHash: null,
        });
      }),
    recordResult: ({ id }, answer, creditedAccount, now) =>
      process.query((tables) => endWithAnswer(tables, id, answer, creditedAccount, now)),
    recordNeedsAttention: async ({ id }, moveNote, at) => {
      await move(id, ['needsAttention'], { at, moveNote });
    },
    refundUnsent: ({ id, payment }, note, at) =>
      process.query((tables) => {
        const call = moveIn(tables, id, ['needsAttention'], { at, moveNote: note });
        if (!call) return false;
        const terms = {
          paidCallId: id,
          method: 'account',
          accountId: payment.payer,
          reason: 'not_delivered',
          note,
          sinceHeight: null,
        } as const;
        post(tables, insertRefund(process.database, tables, terms, at, at), at);
        return true;
      }),
  };
}

/** @returns the call as it is now; null when none of the events can happen to it */
function moveIn(
  { paidCall }: Tables,
  id: string,
  events: readonly Parameters<typeof moveOfCall>[0][],
  given: Parameters<typeof moveOfCall>[2],
): PaidCallRow | null {
  const row = paidCall.get(id);
  if (!row) return null;
  const [changes] = events.flatMap((name) => moveOfCall(name, row, given) ?? []);
  return changes ? paidCall.update(row, changes) : null;
}

function endWithAnswer(
  tables: Tables,
  id: string,
  answer: StoredAnswer,
  account: string | null,
  at: Date,
): boolean {
  const row = tables.paidCall.get(id);
  const given = {
    at,
    moveNote: failureReason(answer),
    answerStatus: answer.status,
    answer: keptAnswer(answer),
    answerExpiresAt: answerExpiry(at),
  };
  const changes = row && moveOfCall(isFailure(answer) ? 'kept' : 'delivered', row, given);
  if (!row || !changes) return false;
  if (account === null) {
    tables.paidCall.update(row, changes);
    return true;
  }
  const isRefunded = tables.refund.first(
    ({ paidCallId, state }) => paidCallId === id && ['requested', 'sent', 'confirmed'].includes(state),
  );
  if (!isOpenAccount(tables, account) || row.creditedAccount !== null || isRefunded) return false;
  tables.paidCall.update(row, { ...changes, creditedAccount: account });
  credit(tables, account, row.amountAtomic);
  return true;
}
