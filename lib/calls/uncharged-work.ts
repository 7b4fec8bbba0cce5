import { ApiError } from '@/lib/catalog/errors/api-error';
import { rateLimitFields } from '@/lib/catalog/rate-limits';
import { type UnchargedWork, unchargedWorkBudgets, unchargedWorkLimits } from '@/lib/catalog/uncharged-work';
import { addWork, readWorkHistory, type WorkInSpan, workCountsMs } from '@/lib/ledger/uncharged-work';
import { onlyNetworkOf, ownerOfPayment, type Payment } from '@/lib/payments/payment';
import { hashAddress } from '@/lib/platform/database/attempts';
import type { AnyService } from '@/lib/services';
import type { CallResult } from './call-result';
import type { CallsApp } from './calls-app';

/** Limits how much work a payer can cause without being charged (docs/decisions/uncharged-work.md). */

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

/**
 * Checks how much a payer has used of the budget for the work that a service does before the charge.
 * @param address of the client; empty when it is not known
 * @throws ApiError uncharged_work_limit (429), with the time until there is budget again
 */
export async function checkBudget(
  app: CallsApp,
  { preparesWith }: Pick<AnyService, 'preparesWith'>,
  { payment, address, now }: { payment: Payment; address: string; now: Date },
): Promise<BudgetUse> {
  const kind = preparesWith?.(app) ?? null;
  if (kind === null) return noBudgetUse;
  const budget = budgetOf(app, kind);
  const payerKey = keyOfPayer(kind, payment);
  const addressKey =
    address === '' ? null : `uncharged:${kind}:address:${await hashAddress(app, address, now)}`;
  const { wasCharged, work } = await readWorkHistory(
    app,
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

/** How much uncharged work the operator allows in an hour. UNCHARGED_WORK_FACTOR=0 allows any amount. */
function budgetOf({ settings }: CallsApp, kind: UnchargedWork): { payer: number; address: number } {
  const factor = settings.UNCHARGED_WORK_FACTOR || Number.POSITIVE_INFINITY;
  const { payer, address } = unchargedWorkBudgets[kind];
  return { payer: payer * factor, address: address * factor };
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

/**
 * Counts the work of a preparation whose call was not charged. A charged call gives some budget back. Best effort: work
 * that cannot be counted is forgotten.
 */
export async function settleBudget(
  app: CallsApp,
  { preparesWith }: Pick<AnyService, 'preparesWith'>,
  budgetUse: BudgetUse,
  { kind }: CallResult,
  amount: number,
): Promise<void> {
  const work = preparesWith?.(app) ?? null;
  const [payerKey] = budgetUse.keys;
  if (work === null || payerKey === undefined) return;
  const isUncharged = kind === 'unprepared' || kind === 'refused';
  const returned = kind === 'answered' ? Math.min(unchargedWorkBudgets[work].returned, budgetUse.used) : 0;
  try {
    if (isUncharged && amount > 0) await addWork(app, budgetUse.keys, amount, app.clock.date());
    if (returned > 0) await addWork(app, [payerKey], -returned, app.clock.date());
  } catch (error) {
    app.problems.reportRequest('warn', { cause: error }, 'work that was not charged could not be counted');
  }
}
