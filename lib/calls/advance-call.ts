import type { Deadline } from '@/lib/platform/concurrency/deadline';
import type { CallDeps } from './call-deps';
import { type CallResult, needsAttention, storedResult } from './call-result';
import type { CallService } from './call-service';
import { charge } from './charge';
import { countResult, timePhase } from './count-calls';
import { deliver } from './deliver';
import type { PaidCall } from './paid-call';
import { prepare, refusedResult } from './preparation';
import { checkRefusal, reopen, unlessReopened } from './refusal';
import { type BudgetUse, noBudgetUse } from './work-budget';

/** What advancing a call needs besides the call. */
export interface CallWork {
  readonly service: CallService;
  /** Whether recovery advances the call: no request waits for the response. */
  readonly isRecovery?: boolean;
  /** The payer's budget for uncharged work, if it was checked. */
  readonly budgetUse?: BudgetUse;
  /** When the request that waits for the call has to be answered, if one does. Then the charge counts as unknown. */
  readonly deadline?: Deadline;
}

/** The runs in this process by call, so that a second request for a call waits instead of advancing it too. */
export class CallRuns {
  readonly #deps: CallDeps;
  readonly #underWay = new Map<string, Promise<CallResult>>();

  constructor(deps: CallDeps) {
    this.#deps = deps;
  }

  /** Whether no call is being advanced. */
  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** Waits until no call is being advanced. */
  async whenIdle(): Promise<void> {
    while (!this.isIdle) await Promise.allSettled(this.#underWay.values());
  }

  /** The run that is advancing the call; null when there is none. */
  of(paidCallId: string): Promise<CallResult> | null {
    return this.#underWay.get(paidCallId) ?? null;
  }

  /**
   * Advances a claimed call as far as possible: charge, deliver, store the response. The first run, a retry and recovery
   * all start from the state that the call is in. The caller must hold the call (claimed or taken over).
   * @param isFresh whether the call was claimed just now, so that its payment cannot have been submitted yet
   */
  advance(call: PaidCall, work: CallWork, isFresh: boolean): Promise<CallResult> {
    const running: Promise<CallResult> = this.#advanceAndCount(call, work, isFresh).finally(() => {
      // A later run for the same call may have replaced this one.
      if (this.#underWay.get(call.id) === running) this.#underWay.delete(call.id);
    });
    this.#underWay.set(call.id, running);
    return running;
  }

  async #advanceAndCount(call: PaidCall, work: CallWork, isFresh: boolean): Promise<CallResult> {
    const result = await advance(this.#deps, call, work, isFresh);
    countResult(this.#deps, call, result);
    return result;
  }
}

async function advance(
  deps: CallDeps,
  call: PaidCall,
  work: CallWork,
  isFresh: boolean,
): Promise<CallResult> {
  switch (call.state) {
    case 'claimed':
      return prepareAndCharge(deps, call, work);
    case 'settling':
    case 'unknown':
      return charge(deps, call, work, isFresh);
    case 'settled':
      return deliver(deps, call, work);
    case 'delivered':
    case 'kept':
      return storedResult(call);
    case 'refused':
      return call.isRefusalFinal ? refusedResult(call) : checkRefusalAgain(deps, call, work);
    case 'needs_attention':
      return needsAttention(call);
    case 'refunded':
      return { kind: 'refunded' };
  }
}

async function prepareAndCharge(deps: CallDeps, call: PaidCall, work: CallWork): Promise<CallResult> {
  const { service, budgetUse = noBudgetUse } = work;
  let amount = 0;
  const countWork = (more: number) => {
    amount += more;
  };
  const preparing = () => prepare(deps, call, service, { isNewcomer: budgetUse.isNewcomer, countWork });
  const startedAt = deps.clock.monotonic();
  const prepared = await timePhase(deps, service.operation, 'prepare', preparing);
  // The deadline limits the wait for chains, not this work, which has limits of its own.
  work.deadline?.extend(deps.clock.monotonic() - startedAt);
  const result = prepared.kind === 'prepared' ? await charge(deps, prepared.call, work, true) : prepared;
  await service.budget.settle(budgetUse, result, amount, deps.clock.date());
  return result;
}

/** A refusal is only final once the authorization can no longer be used. Until then the chain is asked again. */
async function checkRefusalAgain(deps: CallDeps, call: PaidCall, work: CallWork): Promise<CallResult> {
  switch (await checkRefusal(deps, call, work.deadline)) {
    case 'paid': {
      const taken = await deps.calls.takeOver({ id: call.id, state: 'settled' });
      return taken ? deliver(deps, taken, work) : { kind: 'undelivered' };
    }
    case 'final':
      return refusedResult({ ...call, isRefusalFinal: true });
    case 'refused':
      return unlessReopened(deps, call, refusedResult(call));
    case 'unknown':
      return { kind: 'unknown' };
    case 'unused': {
      const reopened = await reopen(deps, call, work);
      if (reopened.kind !== 'reopened') return unlessReopened(deps, call, reopened);
      return advance(deps, reopened.call, { ...work, budgetUse: reopened.budgetUse }, true);
    }
  }
}
