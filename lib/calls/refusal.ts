import { isApiError } from '@/lib/catalog/errors/api-error';
import { mayMeanUsed, unknownOutcome } from '@/lib/payments/outcome';
import { onlyNetworkOf, ownerOfPayment } from '@/lib/payments/payment';
import { type Deadline, within } from '@/lib/platform/concurrency/deadline';
import { describeError } from '@/lib/platform/log';
import type { CallDeps } from './call-deps';
import type { CallService } from './call-service';
import type { PaidCall } from './paid-call';
import { type Refused, refusedResult } from './preparation';
import type { BudgetUse } from './work-budget';

/** A payment that is submitted again must still be valid after a slow block. */
const windowLeftMinMs = 30_000;

/** The status of a refused payment on the chain (docs/decisions/refusals.md). */
export type RefusalStatus =
  /** Someone submitted it after all: the call is settled. */
  | 'paid'
  /** It can never be submitted: the refusal is final, and its idempotency key is free. */
  | 'final'
  /** It has not been used, but still can be. */
  | 'unused'
  /** It cannot be submitted now, but a reorganization may change that. */
  | 'refused'
  | 'unknown';

/** The result of a call whose payment failed together with all others on its network. A 402 would ask for another one, in vain. */
export const networkWithdrawn: Refused = { kind: 'unprepared', code: 'service_unavailable' };

/** Whether the network of a call was withdrawn because of the failure of its payment. */
export async function isWithdrawnAfter(
  deps: Pick<CallDeps, 'payments' | 'log'>,
  call: PaidCall,
  reason: string,
): Promise<boolean> {
  const { payment } = call;
  return deps.payments.watch.isWithdrawnAfter(payment, reason).catch((error: unknown) => {
    const facts = { network: payment.network, error: describeError(error) };
    deps.log.warn(facts, 'a token could not be queried about a failed payment');
    return false;
  });
}

/**
 * Asks the chain about a refused payment, and records the answer if it is final.
 * @param deadline of the request that waits for it; left out when none does
 */
export async function checkRefusal(
  deps: Pick<CallDeps, 'calls' | 'payments' | 'clock' | 'log'>,
  call: PaidCall,
  deadline?: Deadline,
): Promise<RefusalStatus> {
  const resolving = deps.payments.settlerOf(call.payment)?.resolveOutcome(call.payment, call);
  const outcome = resolving && (await within(deadline, resolving, unknownOutcome));
  switch (outcome?.kind) {
    case 'settled':
      deps.log.warn({ paidCallId: call.id }, 'a refused payment was submitted after all');
      await deps.calls.recordOutcome(call.id, outcome, deps.clock.date());
      return 'paid';
    case 'refused':
      if (outcome.isReversible) return 'refused';
      await deps.calls.recordRefusalFinal(call.id, deps.clock.date());
      return 'final';
    default:
      return outcome?.isUnused ? 'unused' : 'unknown';
  }
}

/** A refused call that may be charged after all. This process holds it, in state `claimed`. */
interface Reopened {
  readonly kind: 'reopened';
  readonly call: PaidCall;
  readonly budgetUse: BudgetUse;
}

/**
 * Reopens a refused call if its payment is unused and would go through now. The call is admitted and prepared like a
 * new one, because the refusal discarded what had been prepared.
 * @returns the refusal when nothing can be charged; `unknown` when that is uncertain
 */
export async function reopen(
  deps: Pick<CallDeps, 'calls' | 'payments' | 'clock' | 'log'>,
  call: PaidCall,
  { service, deadline }: { service: CallService; deadline?: Deadline },
): Promise<Reopened | Refused | { readonly kind: 'unknown' }> {
  const refused = refusedResult(call);
  const isInTime = call.payment.validBefore.getTime() - deps.clock.now() >= windowLeftMinMs;
  if (!isInTime) return refused;
  const settler = deps.payments.openSettlerOf(call.payment);
  if (!settler) return networkWithdrawn;
  const verification = await within(deadline, settler.verify(call.payment), null);
  if (!verification) return { kind: 'unknown' };
  if (!verification.ok) {
    const { reason, retryAfterSeconds } = verification;
    if (retryAfterSeconds !== undefined)
      return { kind: 'unprepared', code: 'too_many_failed_settlements', retryAfterSeconds };
    if (await isWithdrawnAfter(deps, call, reason)) return networkWithdrawn;
    // The chain said just now that it was unused, so someone is submitting it at this moment.
    return mayMeanUsed(reason) === 'certainly' ? { kind: 'unknown' } : { kind: 'refused', reason };
  }
  if (!service.isAvailable()) return { kind: 'unprepared', code: 'provider_unconfigured' };
  const now = deps.clock.date();
  const { payer } = call.payment;
  let budgetUse: BudgetUse;
  try {
    budgetUse = await service.budget.check(call.payment, '', now);
    await service.admit(call.input, {
      payer,
      onlyOn: onlyNetworkOf(call.payment),
      now,
      isNewcomer: budgetUse.isNewcomer,
      requester: { address: '', owner: ownerOfPayment(call.payment), priority: 'paying' },
    });
  } catch (error) {
    if (!isApiError(error) || error.payment !== 'none') throw error;
    return { kind: 'unprepared', code: error.code, retryAfterSeconds: error.retryAfterSeconds };
  }
  const isHeld = await deps.calls.recordReopened(call, now);
  if (!isHeld) return { kind: 'unknown' };
  return { kind: 'reopened', call: { ...call, state: 'claimed', prepared: null }, budgetUse };
}

/**
 * What is said of a refused call, unless it has moved on since it was read: another process may have reopened it, and may be
 * charging it.
 */
export async function unlessReopened<Result>(
  { calls }: { readonly calls: Pick<CallDeps['calls'], 'find'> },
  call: PaidCall,
  result: Result,
): Promise<Result | { readonly kind: 'unknown' }> {
  const current = await calls.find(call.id);
  return current?.state === 'refused' ? result : { kind: 'unknown' };
}
