import { z } from 'zod';
import type { Input, Operation } from '@/lib/catalog/operation';
import { recordNeedsAttention, recordOutcome, recordResubmission, recordResult } from '@/lib/ledger/moves';
import { findPaidCall } from '@/lib/ledger/paid-call';
import { takeOver } from '@/lib/ledger/unfinished-calls';
import { refundUnsent } from '@/lib/ledger/unsent-calls';
import {
  type Charge,
  type Outcome,
  onAccount,
  onlyNetworkOf,
  type Settler,
  unknownOutcome,
} from '@/lib/payments/payment';
import { type Deadline, within } from '@/lib/platform/concurrency/deadline';
import { describeError } from '@/lib/platform/log';
import { providerUnreachable } from '@/lib/platform/upstream/failure';
import type { ServicesApp } from '@/lib/services';
import type { Service } from '@/lib/services/service';
import { type CallResult, needsAttention, storedResult } from './call-result';
import type { CallsApp } from './calls-app';
import { countResult, countRevenue, timePhase } from './count-calls';
import { failureAnswer, isKeptFailure } from './kept-failure';
import type { PaidCall, StoredAnswer } from './paid-call';
import { discard, prepare, refusedResult } from './preparation';
import { withReceipt } from './receipt';
import { checkRefusal, isWithdrawnAfter, networkWithdrawn, reopen } from './refusal';
import { releaseCall, scheduleRetry } from './release-call';
import { failureCode, isPermanent, isRetryLimitReached } from './retry-policy';
import { type BudgetUse, noBudgetUse, settleBudget } from './uncharged-work';

/** How long a paid call that only its client's retry may deliver waits before it goes to the operator. */
const clientWaitMs = 24 * 3_600_000;

/** What `advanceCall` needs besides the call. */
interface CallWork<Op extends Operation> {
  readonly operation: Op;
  readonly service: Service<Op, ServicesApp>;
  /** Whether recovery advances the call: no request waits for the response. */
  readonly isRecovery?: boolean;
  /** The payer's budget for uncharged work, if it was checked. */
  readonly budgetUse?: BudgetUse;
  /** When the request that waits for the call has to be answered, if one does. Then the charge counts as unknown. */
  readonly deadline?: Deadline;
}

/** The run that is advancing the call in this process; null when there is none. */
export function workUnderWay(app: CallsApp, paidCallId: string): Promise<CallResult> | null {
  return app.callsAtWork.get(paidCallId) ?? null;
}

/**
 * Advances a claimed call as far as possible: charge, deliver, store the response. The first run, a retry and recovery
 * all start from the state that the call is in. The caller must hold the call (claimed or taken over).
 * @param isFresh whether the call was claimed just now, so that its payment cannot have been submitted yet
 */
export function advanceCall<Op extends Operation>(
  app: CallsApp,
  call: PaidCall,
  work: CallWork<Op>,
  isFresh: boolean,
): Promise<CallResult> {
  const running: Promise<CallResult> = advanceAndCount(app, call, work, isFresh).finally(() => {
    // A later run for the same call may have replaced this one.
    if (app.callsAtWork.get(call.id) === running) app.callsAtWork.delete(call.id);
  });
  app.callsAtWork.set(call.id, running);
  return running;
}

async function advanceAndCount<Op extends Operation>(
  app: CallsApp,
  call: PaidCall,
  work: CallWork<Op>,
  isFresh: boolean,
): Promise<CallResult> {
  const result = await advance(app, call, work, isFresh);
  countResult(app, call, result);
  return result;
}

async function advance<Op extends Operation>(
  app: CallsApp,
  call: PaidCall,
  work: CallWork<Op>,
  isFresh: boolean,
): Promise<CallResult> {
  switch (call.state) {
    case 'claimed':
      return prepareAndCharge(app, call, work);
    case 'settling':
    case 'unknown':
      return charge(app, call, work, isFresh);
    case 'settled':
      return deliver(app, call, work);
    case 'delivered':
    case 'kept':
      return storedResult(call);
    case 'refused':
      return call.isRefusalFinal ? refusedResult(call) : checkRefusalAgain(app, call, work);
    case 'needs_attention':
      return needsAttention(call);
    case 'refunded':
      return { kind: 'refunded' };
  }
}

async function prepareAndCharge<Op extends Operation>(
  app: CallsApp,
  call: PaidCall,
  work: CallWork<Op>,
): Promise<CallResult> {
  const { operation, service, budgetUse = noBudgetUse } = work;
  let amount = 0;
  const countWork = (more: number) => {
    amount += more;
  };
  const preparing = prepare(app, call, service, { isNewcomer: budgetUse.isNewcomer, countWork });
  const startedAt = app.clock.monotonic();
  const prepared = await timePhase(app, operation, 'prepare', preparing);
  // The deadline limits the wait for chains, not this work, which has limits of its own.
  work.deadline?.extend(app.clock.monotonic() - startedAt);
  const result = prepared.kind === 'prepared' ? await charge(app, prepared.call, work, true) : prepared;
  await settleBudget(app, service, budgetUse, result, amount);
  return result;
}

/** A refusal is only final once the authorization can no longer be used. Until then the chain is asked again. */
async function checkRefusalAgain<Op extends Operation>(
  app: CallsApp,
  call: PaidCall,
  work: CallWork<Op>,
): Promise<CallResult> {
  switch (await checkRefusal(app, call, work.deadline)) {
    case 'paid': {
      const taken = await takeOver(app, { id: call.id, state: 'settled' }, app.instance.id);
      return taken ? deliver(app, taken, work) : { kind: 'undelivered' };
    }
    case 'final':
      return refusedResult({ ...call, isRefusalFinal: true });
    case 'unknown':
      return { kind: 'unknown' };
    case 'unused': {
      const reopened = await reopen(app, call, work);
      if (reopened.kind !== 'reopened') return reopened;
      return advance(app, reopened.call, { ...work, budgetUse: reopened.budgetUse }, true);
    }
  }
}

async function charge<Op extends Operation>(
  app: CallsApp,
  call: PaidCall,
  work: CallWork<Op>,
  isFresh: boolean,
): Promise<CallResult> {
  const settler = app.payments.settlerOf(call.payment);
  if (!settler) throw new Error(`no settler for ${call.payment.network}`);
  const charged: Charge = {
    paidCallId: call.id,
    payment: call.payment,
    isBeforeThirdParty: work.service.callsThirdParty,
  };
  const settling = isFresh
    ? within(work.deadline, settler.settle(charged), unknownOutcome, {
        leastMs: app.timings.signedRequest.settleMs,
      })
    : settleAgain(app, call, settler, charged, work.deadline);
  const outcome = await timePhase(app, work.operation, 'settle', settling);
  // Our own settlers record a charge when its transaction is mined. Outcomes that were looked up, or reported by a
  // facilitator, are recorded here.
  const isRecorded =
    outcome.kind === 'settled' && (outcome.isInLedger || (isFresh && settler.recordsOutcome));
  if (!isRecorded) await recordOutcome(app, call.id, outcome, app.clock.date());
  if (outcome.kind === 'refused') {
    await discard(app, call.prepared, work.service);
    return (await isWithdrawnAfter(app, call, outcome.reason)) ? networkWithdrawn : outcome;
  }
  if (outcome.kind === 'unknown') {
    await scheduleRetry(app, call);
    return { kind: 'unknown' };
  }
  // Attempts to settle do not count as attempts to deliver.
  const { transactionHash, recorded } = outcome;
  const settled = {
    ...call,
    state: 'settled',
    transactionHash,
    attempts: 0,
    movedAt: app.clock.date(),
  } as const;
  return recorded ? deliverWhileRecorded(app, settled, work, recorded) : deliver(app, settled, work);
}

/**
 * Delivers while the ledger still records the settlement. The effect may begin at once, because repeating it is
 * harmless; it counts only once the settlement is recorded. Third parties cost money, so they are called after that.
 */
async function deliverWhileRecorded<Op extends Operation>(
  app: CallsApp,
  call: PaidCall,
  work: CallWork<Op>,
  recorded: Promise<void>,
): Promise<CallResult> {
  const begins = !call.answer && !work.service.callsThirdParty;
  const begun = begins ? effect(app, call, work, app.clock.date()) : undefined;
  begun?.catch(() => undefined);
  try {
    await recorded;
  } catch {
    // The transaction is still open in the ledger, so recovery learns from the chain that it was mined.
    await begun?.catch(() => undefined);
    await scheduleRetry(app, { ...call, state: 'settling' });
    return { kind: 'unknown' };
  }
  return deliver(app, call, work, begun);
}

/**
 * Asks the chain first: a payment is submitted again only if it is provably still unused.
 * @param deadline after it nothing more is begun
 */
async function settleAgain(
  app: CallsApp,
  call: PaidCall,
  settler: Settler,
  charge: Charge,
  deadline?: Deadline,
): Promise<Outcome> {
  const { id, sinceHeight, transactionHash } = call;
  const trace = { id, sinceHeight, transactionHash, isBeforeThirdParty: charge.isBeforeThirdParty };
  const unknown: Outcome = { kind: 'unknown', transactionHash };
  const found = await within(deadline, settler.resolveOutcome(call.payment, trace), unknown);
  if (found.kind !== 'unknown') return found;
  const verifying = settler.verify(call.payment).catch(() => null);
  if (!(await within(deadline, verifying, null))?.ok) return found;
  if (await within(deadline, settler.isFollowed?.(charge) ?? Promise.resolve(false), true)) return found;
  if (call.state === 'unknown' && !(await recordResubmission(app, call, app.clock.date()))) return found;
  const outcome = await within(deadline, settler.settle(charge), found);
  if (outcome.kind !== 'settled' || !outcome.recorded) return outcome;
  const { recorded, ...settled } = outcome;
  return recorded.then(
    () => settled,
    () => found,
  );
}

/** @param begun the effect, if it has begun already */
async function deliver<Op extends Operation>(
  app: CallsApp,
  call: PaidCall,
  work: CallWork<Op>,
  begun?: Promise<StoredAnswer>,
): Promise<CallResult> {
  const now = app.clock.date();
  // Settled again after a reorganization: the stored answer stays.
  if (call.answer) return conclude(app, call, call.answer, creditedBy(call, work.operation), now);
  const mayBeSent = call.moveNote !== providerUnreachable;
  if (work.isRecovery && work.service.callsThirdParty && mayBeSent) return awaitClient(app, call, now);
  try {
    const answer = await withReceipt(
      app,
      call,
      work.operation,
      await (begun ?? effect(app, call, work, now)),
    );
    return await conclude(app, call, answer, creditedBy(call, work.operation), now);
  } catch (error) {
    return undelivered(app, call, error);
  }
}

/** Runs the service. A failure whose payment is kept is also an answer. */
async function effect<Op extends Operation>(
  app: CallsApp,
  call: PaidCall,
  { operation, service }: CallWork<Op>,
  now: Date,
): Promise<StoredAnswer> {
  try {
    // The operation's schemas parsed the input before it was stored.
    const input = call.input as Input<Op>;
    const delivering = service.deliver(app, input, {
      payer: call.payment.payer,
      onlyOn: onlyNetworkOf(call.payment),
      paidCallId: call.id,
      transactionHash: call.transactionHash,
      prepared: call.prepared,
      now,
    });
    const output = await timePhase(app, operation, 'deliver', delivering);
    const body = JSON.stringify(operation.output.parse(output));
    const headers = (service.warnings?.(input) ?? []).map(({ header, value }) => [header, value]);
    return { status: 200, body, ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}) };
  } catch (error) {
    if (!isKeptFailure(error)) throw error;
    app.log.warn({ paidCallId: call.id, code: error.code, reason: error.reason }, 'a payment was kept');
    return failureAnswer(app, error);
  }
}

/** The prepaid account that a deposit credits; null for other calls, and for a deposit that was already credited. */
function creditedBy(call: PaidCall, { creditsAccount }: Operation): string | null {
  if (creditsAccount === undefined || call.answer) return null;
  const { [creditsAccount]: accountId } = z.record(z.string(), z.unknown()).parse(call.input);
  return z.string().parse(accountId);
}

/** Leaves a paid call to a retry by its client, or to the operator if none has come within a day. */
async function awaitClient(app: CallsApp, call: PaidCall, now: Date): Promise<CallResult> {
  const attemptAt = new Date(call.movedAt.getTime() + clientWaitMs);
  if (now >= attemptAt) {
    return giveUp(app, call, 'not_asked_for_again', now);
  }
  await releaseCall(app, call.id, { attempts: 0, attemptAt, isDelivery: true });
  return { kind: 'undelivered' };
}

async function conclude(
  app: CallsApp,
  call: PaidCall,
  answer: StoredAnswer,
  creditedAccount: string | null,
  now: Date,
): Promise<CallResult> {
  const recording = recordResult(app, call, answer, creditedAccount, now);
  if (await timePhase(app, { id: call.operation }, 'record', recording)) {
    countRevenue(app, call, creditedAccount);
    return { kind: 'answered', answer, transactionHash: call.transactionHash, isFirst: call.answer === null };
  }
  return endedByAnother(app, call);
}

/** Another instance finished the call in the meantime: its answer counts. */
async function endedByAnother(app: CallsApp, call: PaidCall): Promise<CallResult> {
  const current = await findPaidCall(app, call.id);
  if (current?.answer) return storedResult(current);
  app.log.error({ paidCallId: call.id, state: current?.state }, 'a settled call is in an unexpected state');
  await scheduleRetry(app, call);
  return { kind: 'undelivered' };
}

async function undelivered(app: CallsApp, call: PaidCall, error: unknown): Promise<CallResult> {
  const reason = failureCode(error);
  app.log.error(
    { paidCallId: call.id, reason, error: describeError(error) },
    'a paid call was not delivered',
  );
  if (reason === providerUnreachable) return unsent(app, call);
  if (isPermanent(error) || isRetryLimitReached(call.attempts))
    return giveUp(app, call, reason, app.clock.date());
  await scheduleRetry(app, call);
  return { kind: 'undelivered' };
}

/**
 * Nothing was sent to the provider, so nothing was bought. A prepaid account gets its money back at once. Any other call is tried
 * again for a moment, by recovery and by its client's retries, and then goes to the operator.
 */
async function unsent(app: CallsApp, call: PaidCall): Promise<CallResult> {
  const now = app.clock.date();
  const reason = providerUnreachable;
  if (call.payment.network === onAccount) {
    const isRefunded = await refundUnsent(app, call, reason, now).catch((error: unknown) => {
      app.log.error({ paidCallId: call.id, error: describeError(error) }, 'a call could not be refunded');
      return null;
    });
    if (isRefunded) return { kind: 'refunded', reason };
    if (isRefunded === false) return endedByAnother(app, call);
  }
  const giveUpAt = call.movedAt.getTime() + app.timings.providers.unsentMs;
  if (now.getTime() >= giveUpAt) return giveUp(app, call, reason, now);
  await scheduleRetry(app, call, { note: reason, untilMs: giveUpAt });
  return { kind: 'undelivered', reason };
}

/** Leaves a paid call to the operator. */
async function giveUp(app: CallsApp, call: PaidCall, reason: string, now: Date): Promise<CallResult> {
  await recordNeedsAttention(app, call, reason, now);
  return { kind: 'needs_attention', reason };
}
