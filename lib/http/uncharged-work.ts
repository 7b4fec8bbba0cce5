import { type UnchargedWork, unchargedWorkBudgets } from '@/lib/catalog/uncharged-work';
import { hashAddress } from '@/lib/db/attempts';
import { addWork, readWorkHistory, type WorkInSpan, workCountsMs } from '@/lib/db/uncharged-work';
import { ApiError } from '@/lib/errors/api-error';
import type { HttpApp } from '@/lib/http/app';
import { describeError } from '@/lib/platform/log';
import type { AnyService } from '@/lib/services';
import type { CallResult } from './advance-call';

/** What a payer made us do without being charged, and the budget for it (docs/decisions/uncharged-work.md). */

/** What is known of a payer who asks for work that comes before the charge. */
export interface Standing {
  readonly isNewcomer: boolean;
  /** What work that is not charged is counted under. */
  readonly keys: readonly string[];
  /** What of it the payer has used, never below zero. */
  readonly used: number;
}

/** Of a payer whom nobody has looked at: nothing scarce is at stake. */
export const unknownStanding: Standing = { isNewcomer: true, keys: [], used: 0 };

/**
 * Looks at what a payer has used of the budget for the work that a service does before the charge.
 * @param address of the client; empty when it is not known
 * @throws ApiError uncharged_work_limit (429), with the time when there is budget again
 */
export async function checkBudget(
  app: HttpApp,
  { preparesWith }: Pick<AnyService, 'preparesWith'>,
  { payer, address, now }: { payer: string; address: string; now: Date },
): Promise<Standing> {
  const kind = preparesWith?.(app) ?? null;
  if (kind === null) return unknownStanding;
  const budget = unchargedWorkBudgets[kind];
  const payerKey = keyOfPayer(kind, payer);
  const addressKey =
    address === '' ? null : `uncharged:${kind}:address:${await hashAddress(app, address, now)}`;
  const { wasCharged, work } = await readWorkHistory(
    app,
    payer,
    { payer: payerKey, address: addressKey },
    now,
  );
  const spans = work.get(payerKey) ?? [];
  // Who has been charged is not held to what others at the same address did.
  const addressKeys = addressKey === null || wasCharged ? [] : [addressKey];
  const waits = [
    secondsUntilBelow(budget.payer, spans, now),
    ...addressKeys.map((key) => secondsUntilBelow(budget.address, work.get(key) ?? [], now)),
  ];
  const retryAfterSeconds = Math.max(...waits);
  if (retryAfterSeconds > 0) throw new ApiError('uncharged_work_limit', { retryAfterSeconds });
  return {
    isNewcomer: !wasCharged,
    keys: [payerKey, ...addressKeys],
    used: Math.max(0, sumOf(spans)),
  };
}

function keyOfPayer(kind: UnchargedWork, payer: string): string {
  return `uncharged:${kind}:payer:${payer}`;
}

const sumOf = (spans: readonly WorkInSpan[]) => spans.reduce((sum, { amount }) => sum + amount, 0);

/** Seconds until less than a budget is used, as work stops to count from the earliest on; 0 when it is less already. */
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
 * Counts the work of a preparation when its call came to nothing and was not charged; a call that was charged gives some
 * back to a payer who has used any. Best effort: what cannot be counted is forgotten.
 */
export async function settleBudget(
  app: HttpApp,
  { preparesWith }: Pick<AnyService, 'preparesWith'>,
  standing: Standing,
  { kind }: CallResult,
  amount: number,
): Promise<void> {
  const work = preparesWith?.(app) ?? null;
  const [payerKey] = standing.keys;
  if (work === null || payerKey === undefined) return;
  const isUncharged = kind === 'unprepared' || kind === 'refused';
  const returned = kind === 'answered' ? Math.min(unchargedWorkBudgets[work].returned, standing.used) : 0;
  try {
    if (isUncharged && amount > 0) await addWork(app, standing.keys, amount, app.clock.date());
    if (returned > 0) await addWork(app, [payerKey], -returned, app.clock.date());
  } catch (error) {
    app.log.warn({ error: describeError(error) }, 'work that was not charged could not be counted');
  }
}
