import { z } from 'zod';
import type { Operation } from '@/lib/catalog/operation';
import { onAccount, onlyNetworkOf } from '@/lib/payments/payment';
import { dayMs } from '@/lib/platform/durations';
import { describeError } from '@/lib/platform/log';
import { providerUnreachable } from '@/lib/platform/upstream/failure';
import type { CallWork } from './advance-call';
import { isKeptFailure } from './call-answers';
import type { CallDeps } from './call-deps';
import { type CallResult, storedResult } from './call-result';
import { countRevenue, timePhase } from './count-calls';
import type { PaidCall, StoredAnswer } from './paid-call';
import { failureCode, isPermanent, isRetryLimitReached, releaseCall, scheduleRetry } from './retry-policy';

/** How long a paid call that only its client's retry may deliver waits before it goes to the operator. */
const clientWaitMs = dayMs;

/**
 * Delivers while the ledger still records the settlement. The effect may begin at once, because repeating it is
 * harmless; it counts only once the settlement is recorded. Third parties cost money, so they are called after that.
 */
export async function deliverWhileRecorded(
  deps: CallDeps,
  call: PaidCall,
  work: CallWork,
  recorded: Promise<void>,
): Promise<CallResult> {
  const begins = !call.answer && !work.service.callsThirdParty;
  const begun = begins ? effect(deps, call, work, deps.clock.date()) : undefined;
  begun?.catch(() => undefined);
  try {
    await recorded;
  } catch {
    // The transaction is still open in the ledger, so recovery learns from the chain that it was mined.
    await begun?.catch(() => undefined);
    await scheduleRetry(deps, { ...call, state: 'settling' });
    return { kind: 'unknown' };
  }
  return deliver(deps, call, work, begun);
}

/**
 * Delivers a settled call, and stores its answer.
 * @param begun the effect, if it has begun already
 */
export async function deliver(
  deps: CallDeps,
  call: PaidCall,
  work: CallWork,
  begun?: Promise<StoredAnswer>,
): Promise<CallResult> {
  const { operation, callsThirdParty } = work.service;
  const now = deps.clock.date();
  // Settled again after a reorganization: the stored answer stays.
  if (call.answer) return conclude(deps, call, call.answer, creditedBy(call, operation), now);
  const mayBeSent = call.moveNote !== providerUnreachable;
  if (work.isRecovery && callsThirdParty && mayBeSent) return awaitClient(deps, call, now);
  try {
    // If this process dies from here on, the third party may have been called.
    const isHeld = mayBeSent || !callsThirdParty || (await deps.calls.recordSending(call.id));
    if (!isHeld) return await endedByAnother(deps, call);
    const given = await (begun ?? effect(deps, call, work, now));
    const answer = await deps.answers.withReceipt(call, operation, given);
    return await conclude(deps, call, answer, creditedBy(call, operation), now);
  } catch (error) {
    return undelivered(deps, call, error);
  }
}

/** Runs the service. A failure whose payment is kept is also an answer. */
async function effect(
  deps: CallDeps,
  call: PaidCall,
  { service }: CallWork,
  now: Date,
): Promise<StoredAnswer> {
  const { operation } = service;
  try {
    const delivering = () =>
      service.deliver(call.input, {
        payer: call.payment.payer,
        onlyOn: onlyNetworkOf(call.payment),
        paidCallId: call.id,
        transactionHash: call.transactionHash,
        prepared: call.prepared,
        now,
      });
    const output = await timePhase(deps, operation, 'deliver', delivering);
    const body = JSON.stringify(operation.output.parse(output));
    const headers = service.warnings(call.input, call.prepared).map(({ header, value }) => [header, value]);
    return { status: 200, body, ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}) };
  } catch (error) {
    if (!isKeptFailure(error)) throw error;
    deps.log.warn({ paidCallId: call.id, code: error.code, reason: error.reason }, 'a payment was kept');
    return deps.answers.failure(error);
  }
}

/** The prepaid account that a deposit credits; null for other calls, and for a deposit that was already credited. */
function creditedBy(call: PaidCall, { creditsAccount }: Operation): string | null {
  if (creditsAccount === undefined || call.answer) return null;
  const { [creditsAccount]: accountId } = z.record(z.string(), z.unknown()).parse(call.input);
  return z.string().parse(accountId);
}

/** Leaves a paid call to a retry by its client, or to the operator if none has come within a day. */
async function awaitClient(deps: CallDeps, call: PaidCall, now: Date): Promise<CallResult> {
  const attemptAt = new Date(call.movedAt.getTime() + clientWaitMs);
  if (now >= attemptAt) return giveUp(deps, call, 'not_asked_for_again', now);
  await releaseCall(deps, call.id, { attempts: 0, attemptAt, isDelivery: true });
  return { kind: 'undelivered' };
}

async function conclude(
  deps: CallDeps,
  call: PaidCall,
  answer: StoredAnswer,
  creditedAccount: string | null,
  now: Date,
): Promise<CallResult> {
  const recording = () => deps.calls.recordResult(call, answer, creditedAccount, now);
  if (await timePhase(deps, { id: call.operation }, 'record', recording)) {
    countRevenue(deps, call, creditedAccount);
    return { kind: 'answered', answer, transactionHash: call.transactionHash, isFirst: call.answer === null };
  }
  return endedByAnother(deps, call);
}

/** Another instance finished the call in the meantime: its answer counts. */
async function endedByAnother(deps: CallDeps, call: PaidCall): Promise<CallResult> {
  const current = await deps.calls.find(call.id);
  if (current?.answer) return storedResult(current);
  deps.log.error({ paidCallId: call.id, state: current?.state }, 'a settled call is in an unexpected state');
  await scheduleRetry(deps, call);
  return { kind: 'undelivered' };
}

async function undelivered(deps: CallDeps, call: PaidCall, error: unknown): Promise<CallResult> {
  const reason = failureCode(error);
  deps.log.error(
    { paidCallId: call.id, reason, error: describeError(error) },
    'a paid call was not delivered',
  );
  if (reason === providerUnreachable) return unsent(deps, call);
  if (isPermanent(error) || isRetryLimitReached(call.attempts))
    return giveUp(deps, call, reason, deps.clock.date());
  await scheduleRetry(deps, call);
  return { kind: 'undelivered' };
}

/**
 * Nothing was sent to the provider, so nothing was bought. A prepaid account gets its money back at once. Any other call is tried
 * again for a moment, by recovery and by its client's retries, and then goes to the operator.
 */
async function unsent(deps: CallDeps, call: PaidCall): Promise<CallResult> {
  const now = deps.clock.date();
  const reason = providerUnreachable;
  if (call.payment.network === onAccount) {
    const isRefunded = await deps.calls.refundUnsent(call, reason, now).catch((error: unknown) => {
      deps.log.error({ paidCallId: call.id, error: describeError(error) }, 'a call could not be refunded');
      return null;
    });
    if (isRefunded) return { kind: 'refunded', reason };
    if (isRefunded === false) return endedByAnother(deps, call);
  }
  const giveUpAt = call.movedAt.getTime() + deps.timings.providers.unsentMs;
  if (now.getTime() >= giveUpAt) return giveUp(deps, call, reason, now);
  await scheduleRetry(deps, call, { note: reason, untilMs: giveUpAt });
  return { kind: 'undelivered', reason };
}

/** Leaves a paid call to the operator. */
async function giveUp(deps: CallDeps, call: PaidCall, reason: string, now: Date): Promise<CallResult> {
  await deps.calls.recordNeedsAttention(call, reason, now);
  return { kind: 'needs_attention', reason };
}
