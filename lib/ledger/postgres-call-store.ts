import type { CallStore } from '@/lib/calls/call-store';
import type { WithDatabase } from '@/lib/platform/database/database';
import { newOrderedId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import {
  recordNeedsAttention,
  recordOutcome,
  recordPrepared,
  recordReopened,
  recordResubmission,
  recordResult,
  recordUnprepared,
  refundUnsent,
} from './call-moves';
import { isVoucherPrivate } from './channel-book';
import { claim, claimAgain } from './claim';
import { recordRefusalFinal, refusalsToClose } from './finality-record';
import { findCallOfPayment, findEarlier, findPaidCall } from './paid-call-rows';
import { recordTransferWithoutCall } from './transfers-without-call';
import {
  abandonedCalls,
  heldCalls,
  postpone,
  recordSending,
  release,
  takeOver,
  takeOverForRecovery,
} from './unfinished-calls';
import { findBought } from './wallet-calls';

/** The store of paid calls in PostgreSQL, for this process. */
export function callStore(app: WithDatabase & Pick<Platform, 'log' | 'keys' | 'problems'>): CallStore {
  const { id: instanceId } = app.instance;
  return {
    newId: (now) => newOrderedId('pc', now),
    claim: (entry, now) => claim(app, entry, instanceId, now),
    claimAgain: (entry, now) => claimAgain(app, entry, instanceId, now),
    find: (id) => findPaidCall(app, id),
    findEarlier: (payment, idempotencyKey) => findEarlier(app, payment, idempotencyKey),
    findBought: (request) => findBought(app, request),
    findCallOfPayment: (payment) => findCallOfPayment(app, payment),
    isPrivate: (payment) => isVoucherPrivate(app, payment),
    recordTransferWithoutCall: (payment, transactionHash, operation, now) =>
      recordTransferWithoutCall(app, payment, transactionHash, operation, now),

    takeOver: (call) => takeOver(app, call, instanceId),
    takeOverForRecovery: (call) => takeOverForRecovery(app, call, instanceId),
    abandonedCalls: (now, limit) => abandonedCalls(app, now, limit),
    refusalsToClose: (now, limit) => refusalsToClose(app, now, limit),
    heldCalls: () => heldCalls(app, instanceId),
    release: (id, attemptAt) => release(app, id, instanceId, attemptAt),
    postpone: (id, next) => postpone(app, id, instanceId, next),
    recordSending: (id) => recordSending(app, id, instanceId),

    recordPrepared: (call, prepared, now) => recordPrepared(app, call, prepared, now),
    recordUnprepared: (call, reason, now) => recordUnprepared(app, call, reason, now),
    recordOutcome: (paidCallId, outcome, now) => recordOutcome(app, paidCallId, outcome, now),
    recordResubmission: (call, now) => recordResubmission(app, call, now),
    recordReopened: (call, now) => recordReopened(app, call, instanceId, now),
    recordRefusalFinal: (paidCallId, now) => recordRefusalFinal(app, paidCallId, now),
    recordResult: (call, answer, creditedAccount, now) =>
      recordResult(app, call, answer, creditedAccount, now),
    recordNeedsAttention: (call, note, now) => recordNeedsAttention(app, call, note, now),
    refundUnsent: (call, note, now) => refundUnsent(app, call, note, now),
  };
}
