import { ApiError } from '@/lib/catalog/errors/api-error';
import { rateLimitFields } from '@/lib/catalog/rate-limits';
import { type UnchargedWork, unchargedWorkBudgets, unchargedWorkLimits } from '@/lib/catalog/uncharged-work';
import { onlyNetworkOf, ownerOfPayment, type Payment } from '@/lib/payments/payment';
import type { OngoingProblems } from '@/lib/platform/ongoing-problem';
import type { CallResult } from './call-result';
import { type WorkInSpan, type WorkRecord, workCountsMs } from './call-store';

/** Limits how much work a payer can cause without being charged (docs/decisions/unpaid-work.md). */

/** A payer's use of the budget for work before the charge. */
export interface BudgetUse {
  readonly isNewcomer: boolean;
  /** The keys that uncharged work is counted under. */
  readonly keys: readonly string[];
  /** How much the payer has used; never negative. */
  readonly used: number;
}

/** For services that prepare nothing costly, whose payers are not checked. */
export const noBudgetUse: BudgetUse = { isNewcomer: true, keys: [], used: 0 };

interface BudgetDeps {
  readonly record: WorkRecord;
  /** Multiplies what is allowed in an hour; 0 allows any amount. */
  readonly factor: number;
  /** The kind of work that is done before a charge; null when none is counted. */
  readonly kind: () => UnchargedWork | null;
  readonly problems: Pick<OngoingProblems, 'reportRequest'>;
}

/** The budget of payers for the work that one service does before the charge. */
export class WorkBudget {
  readonly #deps: BudgetDeps;

  constructor(deps: BudgetDeps) {
    this.#deps = deps;
  }

  /**
   * Checks how much a payer has used.
   * @param address of the client; empty when it is not known
   * @throws ApiError uncharged_work_limit (429), with the time until there is budget again
   */
  async check(payment: Payment, address: string, now: Date): Promise<BudgetUse> {
    const { record } = this.#deps;
    const kind = this.#deps.kind();
    if (kind === null) return noBudgetUse;
    const budget = this.#budgetOf(kind);
    const payerKey = keyOfPayer(kind, payment);
    const addressKey =
      address === '' ? null : `uncharged:${kind}:address:${await record.hashAddress(address, now)}`;
    const { wasCharged, work } = await record.history(
      { payer: payment.payer, asset: payment.asset, onlyOn: onlyNetworkOf(payment) },
      { payer: payerKey, address: addressKey },
      now,
    );
    const spans = work.get(payerKey) ?? [];
    // A payer who has been charged before is not held responsible for others at the same address.
    const addressKeys = addressKey === null || wasCharged ? [] : [addressKey];
    const waits = [
      secondsUntilBelow(budget.payer, spans, now),
      ...addressKeys.map((key) => secondsUntilBelow(budget.address, work.get(key) ?? [], now)),
    ];
    const retryAfterSeconds = Math.max(...waits);
    if (retryAfterSeconds > 0) {
      const headers = limitFields(kind, budget.payer, retryAfterSeconds);
      throw new ApiError('uncharged_work_limit', { retryAfterSeconds, headers });
    }
    return {
      isNewcomer: !wasCharged,
      keys: [payerKey, ...addressKeys],
      used: Math.max(0, sumOf(spans)),
    };
  }

  /**
   * Counts the work of a preparation whose call was not charged. A charged call gives some budget back. Best effort: work
   * that cannot be counted is forgotten.
   */
  async settle(use: BudgetUse, { kind: result }: CallResult, amount: number, now: Date): Promise<void> {
    const { record, problems } = this.#deps;
    const kind = this.#deps.kind();
    const [payerKey] = use.keys;
    if (kind === null || payerKey === undefined) return;
    const isUncharged = result === 'unprepared' || result === 'refused';
    const returned = result === 'answered' ? Math.min(unchargedWorkBudgets[kind].returned, use.used) : 0;
    try {
      if (isUncharged && amount > 0) await record.add(use.keys, amount, now);
      if (returned > 0) await record.add([payerKey], -returned, now);
    } catch (error) {
      problems.reportRequest('warn', { cause: error }, 'work that was not charged could not be counted');
    }
  }

  /** How much uncharged work is allowed in an hour. */
  #budgetOf(kind: UnchargedWork): { payer: number; address: number } {
    const factor = this.#deps.factor || Number.POSITIVE_INFINITY;
    const { payer, address } = unchargedWorkBudgets[kind];
    return { payer: payer * factor, address: address * factor };
  }
}

/** The rate limit headers for a payer who has used up a budget. */
function limitFields(kind: UnchargedWork, budget: number, resetSeconds: number): Record<string, string> {
  const { name, per } = unchargedWorkLimits[kind];
  const limit = { name, quota: Math.max(1, Math.round(budget / per)), windowSeconds: workCountsMs / 1_000 };
  return rateLimitFields([{ limit, left: 0, resetSeconds }]);
}

function keyOfPayer(kind: UnchargedWork, payment: Payment): string {
  return `uncharged:${kind}:payer:${ownerOfPayment(payment)}`;
}

const sumOf = (spans: readonly WorkInSpan[]) => spans.reduce((sum, { amount }) => sum + amount, 0);

/** Seconds until use falls below the budget, as the oldest work expires; 0 when it already is. */
export function secondsUntilBelow(budget: number, spans: readonly WorkInSpan[], now: Date): number {
  const left = [...spans].sort((one, other) => one.since.getTime() - other.since.getTime());
  let until = now.getTime();
  while (sumOf(left) >= budget) {
    const earliest = left.shift();
    if (!earliest) break;
    until = earliest.since.getTime() + workCountsMs;
  }
  return Math.max(0, Math.ceil((until - now.getTime()) / 1_000));
}
