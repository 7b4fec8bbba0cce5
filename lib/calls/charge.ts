import { type Charge, type Outcome, unknownOutcome } from '@/lib/payments/outcome';
import { type Deadline, within } from '@/lib/platform/concurrency/deadline';
import type { CallWork } from './advance-call';
import { type CallDeps, type CallSettler, recordsCharges } from './call-deps';
import type { CallResult } from './call-result';
import type { CallService } from './call-service';
import { timePhase } from './count-calls';
import { deliver, deliverWhileRecorded } from './deliver';
import type { PaidCall } from './paid-call';
import { discard } from './preparation';
import { isWithdrawnAfter, networkWithdrawn, unlessReopened } from './refusal';
import { scheduleRetry } from './retry-policy';

/** Charges the payment of a call, and then delivers. */
export async function charge(
  deps: CallDeps,
  call: PaidCall,
  work: CallWork,
  isFresh: boolean,
): Promise<CallResult> {
  const { calls, payments, clock, timings } = deps;
  const { service } = work;
  const settler = payments.settlerOf(call.payment);
  if (!settler) throw new Error(`no settler for ${call.payment.network}`);
  const { callsThirdParty } = service;
  const charged: Charge = {
    paidCallId: call.id,
    payment: call.payment,
    ...(callsThirdParty ? { isBeforeThirdParty: true } : {}),
  };
  const settling = () =>
    isFresh
      ? within(work.deadline, settler.settle(charged), unknownOutcome, {
          leastMs: timings.signedRequest.settleMs,
        })
      : settleAgain(deps, call, settler, charged, work.deadline);
  const outcome = await timePhase(deps, service.operation, 'settle', settling);
  // Our own settlers record a charge when its transaction is mined. Outcomes that were looked up, or reported by a remote
  // server, are recorded here.
  const isRecorded =
    outcome.kind === 'settled' && (outcome.isInLedger || (isFresh && recordsCharges(settler)));
  if (!isRecorded) await calls.recordOutcome(call.id, outcome, clock.date());
  if (outcome.kind === 'refused') return refused(deps, call, outcome, service);
  if (outcome.kind === 'unknown') {
    await scheduleRetry(deps, call);
    return { kind: 'unknown' };
  }
  // Attempts to settle do not count as attempts to deliver.
  const { transactionHash, recorded } = outcome;
  const settled = { ...call, state: 'settled', transactionHash, attempts: 0, movedAt: clock.date() } as const;
  return recorded ? deliverWhileRecorded(deps, settled, work, recorded) : deliver(deps, settled, work);
}

/**
 * What is said of a call whose charge was refused. This process may have been presumed dead in the meantime: then another one may
 * have charged the call, with what was prepared for it.
 */
async function refused(
  deps: CallDeps,
  call: PaidCall,
  outcome: Extract<Outcome, { kind: 'refused' }>,
  service: CallService,
): Promise<CallResult> {
  const isWithdrawn = await isWithdrawnAfter(deps, call, outcome.reason);
  const result = await unlessReopened(deps, call, isWithdrawn ? networkWithdrawn : outcome);
  if (result.kind !== 'unknown') await discard(deps, call.prepared, service);
  return result;
}

/**
 * Asks the chain first: a payment is submitted again only if it is provably still unused.
 * @param deadline after it nothing more is begun
 */
async function settleAgain(
  { calls, clock }: Pick<CallDeps, 'calls' | 'clock'>,
  call: PaidCall,
  settler: CallSettler,
  charged: Charge,
  deadline?: Deadline,
): Promise<Outcome> {
  const { id, sinceHeight, transactionHash } = call;
  const trace = { id, sinceHeight, transactionHash, isBeforeThirdParty: charged.isBeforeThirdParty };
  const unknown: Outcome = { kind: 'unknown', transactionHash };
  const found = await within(deadline, settler.resolveOutcome(call.payment, trace), unknown);
  if (found.kind !== 'unknown') return found;
  const verifying = settler.verify(call.payment).catch(() => null);
  if (!(await within(deadline, verifying, null))?.ok) return found;
  if (await within(deadline, isFollowed(settler, charged), true)) return found;
  if (call.state === 'unknown' && !(await calls.recordResubmission(call, clock.date()))) return found;
  const outcome = await within(deadline, settler.settle(charged), found);
  if (outcome.kind !== 'settled' || !outcome.recorded) return outcome;
  const { recorded, ...settled } = outcome;
  return recorded.then(
    () => settled,
    () => found,
  );
}

/** Whether a live process follows a transaction with the charge. Elsewhere the same payment makes the same transaction again. */
async function isFollowed(settler: CallSettler, charged: Charge): Promise<boolean> {
  return (settler.kind === 'evm' || settler.kind === 'scheme') && settler.isFollowed(charged);
}
